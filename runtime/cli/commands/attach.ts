import { analyseAttached } from "../../analysis/attach/analyse.ts";
import type { AttachResult } from "../../analysis/attach/result.ts";
import { attachTimelines } from "../../analysis/attach/timeline.ts";
import { withQuery } from "../../attach/query.ts";
import { type AttachRecord, MAIN_REALM } from "../../attach/records.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { printableJson } from "../../core/printable.ts";
import { TACHO_VERSION } from "../../experiment/environment.ts";
import { copyBandwidths } from "../../engine/copy_bandwidths.ts";
import { checkFolder } from "../../library/report_folder.ts";
import { commandText } from "../../library/kept/attached_table.ts";
import { nodeCommand, runsNode } from "../../attach/programs/node_command.ts";
import { preloadedCommand } from "../../attach/programs/preloaded_command.ts";
import { renderAttachedHtml } from "../../report/attach/html.ts";
import { renderAttached, renderAttachedMarkdown } from "../../report/attach/text.ts";
import { traceChunks } from "../../report/trace/trace.ts";
import type { AttachedRun } from "../../store/attached_run.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStore } from "../../store/store.ts";
import { DEFAULT_TOP, renderKept, showAttached } from "../attach/kept.ts";
import { readRecords } from "../../attach/programs/read_records.ts";
import { runProgram } from "../attach/run_program.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { checkTarget, STDOUT, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { STEPS_HELP, stepsOf } from "../programs_flags.ts";
import { lookOfStderr, lookOfStdout, warn, writeError, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";
import { join } from "node:path";

export const define = () =>
  createCommand({
    name: "attach",
    description:
      "Runs any WebGPU program in Deno, or in Node with npm's webgpu, and reports where its time goes: kernels, idle time by cause, uploads, " +
      "reads, memory, pipelines, errors. Its output, its results and its status stay the same; the report goes to stderr.",
    examples: [
      ["tacho attach -- deno run -A train.ts", "record a program; steps are found where they repeat"],
      [
        "tacho attach --steps mark -- deno run -A train.ts",
        'steps end where the program calls performance.mark("step")',
      ],
      ["tacho attach --steps submit:4 -- deno run -A train.ts", "a step has four submits"],
      ["tacho attach --stack -- deno run -A train.ts", "name the lines that dispatch kernels and create buffers"],
      ["tacho attach -- deno serve -A app.ts", "record a server until Ctrl-C ends it"],
      ["tacho attach -- node train.js", "record a program in Node that imports npm's webgpu"],
      ["tacho attach --report out -- deno test -A", "record tests, and write a page and a trace"],
      ["tacho attach --kept", "list the kept results"],
      ["tacho attach --show last", "print the latest result again"],
    ],
  })
    .usage("[options] -- <deno|node> [arguments...]")
    .argument("[command...]", "command that runs the program, after --")
    .option("--steps <how>", STEPS_HELP, stepsOf)
    .option("--stack", "record the program's lines; calls take longer")
    .option("--top <n>", `print the first n kernels (default: ${DEFAULT_TOP})`, wholeNumber("--top", 1))
    .option("--budget <percent>", "largest slowdown by timing kernels, such as 5% (default: 5%)", percentValue)
    .option("--report <dir>", "write a page, Markdown, JSON and a trace to this folder", folder("--report"))
    .option("--json <file>", "write the whole result as JSON")
    .option("--no-store", "do not keep the result")
    .option("--kept", "list the kept results instead of running a program")
    .option("--show <run>", "print a kept result again: its ID or a part of it, or last");

/** Records a program, or shows what is kept of earlier ones. */
export async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--");
  const runs = at < 0 ? args.findIndex((word) => /^(deno|node)$/.test(word)) : -1;
  if (runs >= 0) {
    const fixed = [...args.slice(0, runs), "--", ...args.slice(runs)];
    throw new InputError(`tacho attach: expected -- before the command: tacho attach ${commandText(fixed)}`);
  }
  const command = define();
  if (!parseCommand(command, at < 0 ? args : args.slice(0, at))) return ExitStatus.ok;
  if (command.args.length > 0) {
    const got = command.args.join(" ");
    const fix = at < 0 ? `: tacho attach -- deno run -A ${commandText(command.args)}` : "";
    throw new InputError(`tacho attach: expected -- before the command, got "${got}"${fix}`);
  }
  const { kept = false, show, ...options } = command.opts();
  if (options.json !== undefined) await checkTarget(options.json);
  if (options.report !== undefined) await checkFolder(options.report, "--report");
  if (kept || show !== undefined) {
    if (at >= 0) throw new InputError(`tacho attach ${kept ? "--kept" : "--show"}: takes no command`);
    return showKept(show ?? null, options);
  }
  if (at < 0 || at === args.length - 1) {
    throw new InputError("tacho attach: expected -- and a command, such as: tacho attach -- deno run -A program.ts");
  }
  if (options.json === STDOUT) throw new InputError("--json -: stdout is the program's; expected a file name");
  return await record(args.slice(at + 1), options);
}

type Options = ReturnType<ReturnType<typeof define>["opts"]>;

/** Runs and records a program. Returns its status. */
async function record(command: readonly string[], options: Options): Promise<number> {
  const { steps = { by: "auto" }, stack = false, budget = 0.05, top = DEFAULT_TOP, json, report, color } = options;
  const records = await Deno.makeTempDir({ prefix: "tacho-attach-" });
  try {
    const settings = { steps, stack, budget, timing: true };
    const module = (path: string) => ({
      specifier: withQuery(path, { folder: records, realm: MAIN_REALM, settings }),
      folder: records,
    });
    const recorded = runsNode(command)
      ? nodeCommand("tacho attach", command, module(import.meta.resolve("../../attach/node.js")))
      : preloadedCommand("tacho attach", command, module(import.meta.resolve("../../attach/deno/preload.ts")));
    const started = Date.now();
    const status = await runProgram(recorded);
    const ended = Date.now();
    const realms = await readRecords(records);
    const result = analyseAttached(realms, steps.by, await copyBandwidths());
    writeError(renderAttached(result, lookOfStderr(color), top));
    if (json !== undefined) writeJson(json, result);
    if (report !== undefined) {
      writeAttachReport(report, { result, command: commandText(command), records: realms });
    }
    if (options.store !== false) keep(options, { started, ended, status, command }, result);
    return status;
  } finally {
    await Deno.remove(records, { recursive: true });
  }
}

/** Keeps a result. A store that cannot be written is no reason to lose the program's status. */
function keep(
  { store: place }: Options,
  run: Pick<AttachedRun, "started" | "ended" | "status" | "command">,
  result: AttachResult,
): void {
  try {
    using store = openStore(storeFolder(typeof place === "string" ? place : undefined));
    const versions = { tacho: TACHO_VERSION, deno: Deno.version.deno };
    const adapter = result.devices[0]?.adapter ?? null;
    const id = store.keepAttached({ ...run, ...versions, cwd: Deno.cwd(), adapter }, result);
    writeError(`attach: kept as ${id}; tacho attach --show ${id} prints it again\n`);
  } catch (error) {
    warn(`not kept: ${(error as Error).message}`);
  }
}

/** Prints the list of kept results, or one of them. */
function showKept(name: string | null, { store: place, top = DEFAULT_TOP, json, report, color }: Options) {
  using store = needStore(typeof place === "string" ? place : undefined);
  if (name === null) {
    writeOut(renderKept(store.attachedRuns(), lookOfStdout(color)));
    return ExitStatus.ok;
  }
  const { run, result } = showAttached(store, name, { top, json, color });
  if (report !== undefined) {
    writeAttachReport(report, { result, command: commandText(run.command), records: null });
  }
  return ExitStatus.ok;
}

function percentValue(text: string): number {
  const percent = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1]);
  if (!(percent > 0 && percent <= 100)) {
    throw new InputError(`--budget: expected per cent above 0, such as 5%, got "${text}"`);
  }
  return percent / 100;
}

/**
 * Writes the report of a program to a folder: page, Markdown, result, and the trace where there are records.
 *
 * @throws {InputError} if the folder cannot be written
 */
function writeAttachReport(
  folder: string,
  { result, command, records }: {
    readonly result: AttachResult;
    readonly command: string;
    readonly records: readonly (readonly AttachRecord[])[] | null;
  },
): void {
  try {
    writeFile(join(folder, "result.json"), `${printableJson(result)}\n`);
    writeFile(join(folder, "report.html"), renderAttachedHtml(result, command));
    writeFile(join(folder, "report.md"), renderAttachedMarkdown(result, command));
    if (records === null) return;
    const adapter = result.devices[0]?.adapter ?? null;
    const trace = traceChunks(attachTimelines(records), { command, adapter });
    writeFile(join(folder, "trace.json"), trace);
  } catch (cause) {
    throw new InputError(`--report ${folder}: cannot be written (${(cause as Error).message})`, { cause });
  }
}
