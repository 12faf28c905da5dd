/**
 * Runs of scripts in a sandbox. The script's process only measures; this process shows its progress, and prints, writes and
 * keeps its result.
 *
 * @module
 */
import { parseGate } from "../../../analysis/gates/parse_gate.ts";
import { InputError, TachoError } from "../../../core/errors.ts";
import type { Timeline } from "../../../record/timeline.ts";
import type { RunEvent } from "../../../result/run_event.ts";
import type { Environment, Result } from "../../../result/schema.ts";
import { storeFolder } from "../../../store/folder.ts";
import { statusOf } from "../../../store/records.ts";
import { openStore } from "../../../store/store.ts";
import { type Flags, parseFlags } from "../../flags.ts";
import { readGates } from "../../../library/read_gates.ts";
import { judge } from "../../gates.ts";
import { jsonLines } from "../../json_lines.ts";
import { checkTarget, stdoutIsData, writeJson } from "../../json_output.ts";
import { profileView } from "../../profile_view.ts";
import { experimentArgs } from "../experiment_args.ts";
import type { Origin, Recipe } from "../recipe.ts";
import type { Workspace } from "../workspace.ts";
import { checkFolder, writeReport } from "../../../library/report_folder.ts";
import { commandOf } from "../../../library/script.ts";
import { resultText } from "../../result_text.ts";
import { startLine, stderrProgress } from "../../stderr_progress.ts";
import { warn, writeError, writeOut } from "../../terminal.ts";
import { shownDiffs } from "../../diff/diffs.ts";
import { printedLine, runSandboxed, type Sandbox } from "./sandbox_process.ts";
import { resolve } from "node:path";

/** A script and its modules. */
type Source = Origin & Pick<Recipe, "modules">;

export interface SandboxedRun {
  readonly args: readonly string[];
  /** Environment of this process, which the script's process cannot see all of. */
  readonly environment: Environment;
  /** Prints and keeps nothing. */
  readonly quiet: boolean;
}

/**
 * Runs the script of a workspace in a sandbox, as its flags say.
 *
 * @returns the exit status, and the result; null if the run ended before it had one
 * @throws {InputError} if a flag is wrong, or the script's process prints too much
 */
export async function runInSandbox(
  workspace: Workspace,
  sandbox: Sandbox,
  source: Source,
  { args, environment, quiet }: SandboxedRun,
): Promise<{ status: number; result: Result | null }> {
  if (onlyPrints(args)) return { status: await printInSandbox(workspace, sandbox, source, args), result: null };
  const flags = await checkedFlags(args);
  const dataOnStdout = stdoutIsData(flags);
  const progress = stderrProgress({ quiet: flags.quiet === true, dataOnStdout });
  const emit = flags.jsonLines ? jsonLines() : () => {};
  const started = Date.now();
  let result: Result | null = null;
  const timelines: Timeline[] = [];
  const onEvent = (event: RunEvent) => {
    if (event.type === "start") progress.begin(startLine(event.scenario, event.variants));
    progress.update(event);
    if (event.type === "timeline" && flags.report !== undefined) timelines.push(event.timeline);
    if (event.type !== "result") return emit(event);
    result = asKept(event.result, source, environment);
    emit({ type: "result", result });
  };
  const onLine = (line: string, stream: "stdout" | "stderr") => {
    if (quiet && stream === "stdout") return;
    progress.done();
    if (stream === "stdout" && !dataOnStdout) writeOut(`${printedLine(line)}\n`);
    else writeError(`${printedLine(line)}\n`);
  };
  let status: number;
  try {
    status = await runSandboxed(workspace, sandbox, {
      ...source,
      args: childArgs(args, flags),
      onEvent,
      onLine,
    });
  } finally {
    progress.done();
  }
  if (result === null || quiet) return { status, result };
  const gated = await deliver(result, source, flags, { args, started, timelines });
  return { status: status || gated, result };
}

/** Returns true if a script with these arguments prints something and ends. */
export function onlyPrints(args: readonly string[]): boolean {
  const flags = parsedFlags(args);
  return flags === null || flags.list || flags.dryRun;
}

/** Runs the script of a workspace in a sandbox, and prints what it prints. Returns the exit status. */
export async function printInSandbox(
  workspace: Workspace,
  sandbox: Sandbox,
  { where, script }: Origin,
  args: readonly string[],
): Promise<number> {
  const flags = parsedFlags(args);
  if (flags?.json !== undefined) throw new InputError("--json: the sandbox prints a dry run only as text; omit it");
  const what = flags === null ? "--help" : flags.list ? "--list" : "--dry-run";
  return await runSandboxed(workspace, sandbox, {
    where,
    script,
    args: [...experimentArgs(args).filter((arg) => arg !== "-h" && arg !== "--help"), what, "--no-store"],
    onEvent: () => {},
    onLine: (line, stream) => (stream === "stdout" ? writeOut : writeError)(`${printedLine(line)}\n`),
  });
}

function parsedFlags(args: readonly string[]): Flags | null {
  return parseFlags(args, { command: "script", helpAfter: () => "", helpWidth: 100, write: () => {} });
}

/** Parses the flags, and checks those that this process obeys. */
async function checkedFlags(args: readonly string[]): Promise<Flags> {
  const flags = parsedFlags(args)!;
  profileView(flags); // throws if flags contradict each other
  if (flags.resume !== undefined) {
    throw new InputError("--resume: a sandboxed run cannot be resumed; omit it, or add --trust");
  }
  if (flags.shard !== undefined) {
    throw new InputError("--shard: a sandboxed run cannot keep a shard file; omit it, or add --trust");
  }
  if (flags.json !== undefined) await checkTarget(flags.json);
  if (flags.junit !== undefined) await checkTarget(flags.junit, "--junit");
  if (flags.report !== undefined) await checkFolder(flags.report, "--report");
  flags.gate?.forEach(parseGate);
  return flags;
}

/** Returns the arguments for the script's process, which only measures. */
function childArgs(args: readonly string[], flags: Flags): string[] {
  const kept = experimentArgs(args);
  // A report shows a profile
  const profile = flags.report !== undefined && profileView(flags).verbosity === 0 ? ["--verbosity=1"] : [];
  return [...kept, ...profile, "--json-lines", "--no-store", "--quiet", ...flags.debug ? ["--debug"] : []];
}

/** Returns a result with everything that this process knows better, marked as a sandboxed one. */
function asKept(result: Result, { script, modules }: Source, environment: Environment): Result {
  const { adapter, inputs } = result.environment;
  return {
    ...result,
    environment: { ...environment, adapter, ...(inputs === undefined ? {} : { inputs }), sandbox: true },
    scenario: { ...result.scenario, file: script, sha256: modules[0]!.sha256 },
  };
}

/** Prints, writes and keeps a result as the flags say, and returns the exit status of its gates. */
async function deliver(
  result: Result,
  source: Source,
  flags: Flags,
  { args, started, timelines }: {
    readonly args: readonly string[];
    readonly started: number;
    readonly timelines: readonly Timeline[];
  },
): Promise<number> {
  const command = commandOf(source.script, args);
  if (!stdoutIsData(flags)) writeOut(resultText(result, flags));
  const kept = keepResult(result, source, { store: flags.store, args, started });
  if (kept !== null && flags.quiet !== true) writeError(`${kept}\n`);
  if (flags.json !== undefined) writeJson(flags.json, result);
  if (flags.report !== undefined) {
    await writeReport(flags.report, result, {
      timelines,
      command,
      diffs: shownDiffs(result, flags),
    }, "--report");
  }
  const gates = flags.gate === undefined ? null : await readGates(flags.gate, {
    scenario: result.scenario.name,
    variants: result.variants.map(({ name }) => name),
    adapter: () => Promise.resolve(result.environment.adapter?.name ?? null),
    store: typeof flags.store === "string" ? flags.store : undefined,
    run: null,
  });
  return await judge({ scenario: result.scenario.name, file: null, gated: result, gates, result, command }, flags);
}

/**
 * Keeps the result of a sandboxed run, with the modules of its recipe. Returns a line that says so, or null if it is not
 * kept; a failure is a warning.
 */
function keepResult(
  result: Result,
  { script, modules }: Pick<Recipe, "script" | "modules">,
  { store: named, args, started }: Pick<Flags, "store"> & { args: readonly string[]; started: number },
): string | null {
  if (named === false) return null;
  const { environment, scenario: { name, sha256, seed, adapted }, baseline } = result;
  const applied = adapted === null ? {} : { adapters: adapted.adapters };
  const variants = result.variants.map(({ name, config }) => ({ name, config }));
  try {
    using store = openStore(storeFolder(typeof named === "string" ? named : undefined));
    const run = store.begin({
      started,
      spec: { tacho: environment.tacho, scenario: name, sha256, seed, baseline, ...applied, variants },
      script: resolve(script),
      modules,
      args,
      cwd: Deno.cwd(),
      environment,
    });
    run.finish(result);
    const incomplete = statusOf(result) === "interrupted" ? ", incomplete" : "";
    return `kept as ${run.id}${incomplete} (tacho show ${run.id})`;
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    warn(`This run is not kept. ${error.message}`);
    return null;
  }
}
