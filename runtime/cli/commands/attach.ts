import { analyseAttached } from "../../analysis/attach/analyse.ts";
import { nodeCommand, runsNode } from "../../attach/programs/node_command.ts";
import { preloadedCommand } from "../../attach/programs/preloaded_command.ts";
import { readRecords } from "../../attach/programs/read_records.ts";
import { withQuery } from "../../attach/query.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { isFile } from "../../core/files.ts";
import { copyBandwidths } from "../../engine/copy_bandwidths.ts";
import { commandText } from "../../library/kept/attached_table.ts";
import { checkFolder } from "../../library/report_folder.ts";
import { deliver, writeAttachReport } from "../attach/deliver.ts";
import { DEFAULT_TOP, renderKept, showAttached } from "../attach/kept.ts";
import { analyseSaved } from "../attach/saved.ts";
import { attachPage } from "../attach/page.ts";
import { runProgram } from "../attach/run_program.ts";
import { duration, file, folder, wholeNumber } from "../flag_values.ts";
import { checkTarget, STDOUT } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { STEPS_HELP, stepsOf } from "../programs_flags.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "attach",
    description:
      "Runs any WebGPU program in Deno, in Node with npm's webgpu, or in a page of Chromium, and reports where its time goes: kernels, idle " +
      "time by cause, uploads, reads, memory, pipelines, errors. Its output, its results and its status stay the same; the report goes to stderr.",
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
      [
        "tacho attach --page demo.html --duration 30s",
        "record a page in Chromium for 30 s, or until it closes its window",
      ],
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
    .option("--page <page>", "record a page in Chromium: an address or an HTML file", file("--page"))
    .option("--duration <time>", "end the page after this time, such as 30s or 2m", duration("--duration"))
    .option("--max-steps <n>", "end the page after this many steps", wholeNumber("--max-steps", 1))
    .option("--do <script>", "module that drives the page; the recording ends with it", file("--do"))
    .option(
      "--profile <dir>",
      "profile of the browser, which keeps caches (default: a temporary one)",
      folder("--profile"),
    )
    .option("--isolate", "serve the page cross-origin isolated, for threads in WebAssembly")
    .option("--connect <port>", "record a tab of a running browser, which --page names", wholeNumber("--connect", 1))
    .option("--headed", "show the browser's window")
    .option("--browser-flag <flag>", "flag for the browser, such as --browser-flag=--enable-features=Vulkan", several)
    .option("--no-sandbox", "run the browser without its sandbox, which root must ask for")
    .option("--report <dir>", "write a page, Markdown, JSON and a trace to this folder", folder("--report"))
    .option("--json <file>", "write the whole result as JSON")
    .option("--no-store", "do not keep the result")
    .option("--kept", "list the kept results instead of running a program")
    .option(
      "--show <run>",
      "print a kept result again, by its ID, a part of it or last; or a file that tacho.save() wrote",
    );

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
  const { kept = false, show, page, ...options } = command.opts();
  if (options.json !== undefined) await checkTarget(options.json);
  if (options.report !== undefined) await checkFolder(options.report, "--report");
  if (kept || show !== undefined) {
    if (at >= 0) throw new InputError(`tacho attach ${kept ? "--kept" : "--show"}: takes no command`);
    return await showKept(show ?? null, options);
  }
  if (options.json === STDOUT) throw new InputError("--json -: stdout is the program's; expected a file name");
  if (page !== undefined) {
    if (at >= 0) throw new InputError("tacho attach --page: takes no command");
    return await attachPage(page, options);
  }
  const ofPages = PAGE_OPTIONS.find((name) => options[name] !== undefined);
  if (ofPages !== undefined || !options.sandbox) {
    throw new InputError(
      `--${dashed(ofPages ?? "noSandbox")}: is for pages; add --page and an address or an HTML file`,
    );
  }
  if (at < 0 || at === args.length - 1) {
    throw new InputError("tacho attach: expected -- and a command, such as: tacho attach -- deno run -A program.ts");
  }
  return await record(args.slice(at + 1), options);
}

/** Options that only pages have. */
const PAGE_OPTIONS = ["duration", "maxSteps", "do", "profile", "isolate", "headed", "browserFlag", "connect"] as const;

function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function several(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

type Options = ReturnType<ReturnType<typeof define>["opts"]>;

/** Runs and records a program. Returns its status. */
async function record(command: readonly string[], options: Options): Promise<number> {
  const { steps = { by: "auto" }, stack = false, budget = 0.05 } = options;
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
    deliver(result, realms, { started, ended, status, command }, options);
    return status;
  } finally {
    await Deno.remove(records, { recursive: true });
  }
}

/** Prints the list of kept results, one of them, or what a page's script saved. */
async function showKept(
  name: string | null,
  { store: place, top = DEFAULT_TOP, json, report, color }: Options,
): Promise<number> {
  if (name !== null && isFile(name)) {
    const { result, records } = await analyseSaved(name);
    deliver(result, records, null, { top, json, report, color });
    return ExitStatus.ok;
  }
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
