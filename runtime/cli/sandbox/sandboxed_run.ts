/**
 * Runs of scripts in a sandbox. The script's process only measures; this process shows its progress, and prints, writes and
 * keeps its result.
 *
 * @module
 */
import { parseGate } from "../../analysis/gates/parse_gate.ts";
import { InputError } from "../../core/errors.ts";
import { createProgress, progressMode } from "../../report/live/progress.ts";
import { nameInProse, namesInProse } from "../../report/plain_text.ts";
import type { RunEvent } from "../../result/run_event.ts";
import type { Environment, Result } from "../../result/schema.ts";
import { type Flags, parseFlags } from "../flags.ts";
import { readGates, reportGates } from "../gates.ts";
import { jsonLines } from "../json_lines.ts";
import { checkTarget, stdoutIsData, writeJson } from "../json_output.ts";
import { profileView } from "../profile_view.ts";
import { experimentArgs } from "../repeat/experiment_args.ts";
import type { Recipe } from "../repeat/recipe.ts";
import type { Workspace } from "../repeat/workspace.ts";
import { checkFolder, writeReport } from "../report_folder.ts";
import { resultText } from "../result_text.ts";
import { commandOf } from "../script.ts";
import { isDumb, stderr, terminalSize, writeError, writeOut } from "../terminal.ts";
import { keepResult } from "./keep_result.ts";
import { runSandboxed, type Sandbox } from "./sandbox_process.ts";

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
  recipe: Recipe,
  { args, environment, quiet }: SandboxedRun,
): Promise<{ status: number; result: Result | null }> {
  const flags = await checkedFlags(args);
  const onlyText = flags.list || flags.dryRun;
  const dataOnStdout = stdoutIsData(flags);
  const progress = createProgress({
    stream: stderr,
    mode: progressMode({
      isTerminal: Deno.stderr.isTerminal(),
      dumb: isDumb(),
      quiet: flags.quiet === true || onlyText,
      dataOnStdout,
    }),
    size: terminalSize,
  });
  const emit = flags.jsonLines ? jsonLines() : () => {};
  const started = Date.now();
  let result: Result | null = null;
  const onEvent = (event: RunEvent) => {
    if (event.type === "start") progress.begin(beginning(event));
    progress.update(event);
    if (event.type !== "result") return emit(event);
    result = asKept(event.result, recipe, environment);
    emit({ type: "result", result });
  };
  const onLine = (line: string, stream: "stdout" | "stderr") => {
    if (quiet && stream === "stdout") return;
    progress.done();
    if (stream === "stdout" && (!dataOnStdout || onlyText)) writeOut(`${line}\n`);
    else writeError(`${line}\n`);
  };
  const { where } = recipe;
  let status: number;
  try {
    status = await runSandboxed(workspace, sandbox, {
      args: childArgs(args, flags),
      file: recipe.script,
      where,
      onEvent,
      onLine,
    });
  } finally {
    progress.done();
  }
  if (result === null || quiet) return { status, result };
  const gated = await deliver(result, recipe, flags, { args, started });
  return { status: status || gated, result };
}

function beginning({ scenario, variants }: Extract<RunEvent, { type: "start" }>): string {
  const count = variants.length === 1 ? "1 variant" : `${variants.length} variants`;
  return `${nameInProse(scenario)}: ${count}: ${namesInProse(variants)}`;
}

/** Parses the flags, and checks those that this process obeys. */
async function checkedFlags(args: readonly string[]): Promise<Flags> {
  const flags = parseFlags(args, { command: "script", helpAfter: () => "", helpWidth: 100, write: writeOut });
  if (flags === null) throw new InputError("--help: a locked script prints none; see tacho repeat --help");
  profileView(flags); // throws if flags contradict each other
  if (flags.resume !== undefined) {
    throw new InputError("--resume: a sandboxed run cannot be resumed; omit it, or add --trust");
  }
  if (flags.json !== undefined && flags.dryRun) {
    throw new InputError("--json: the sandbox prints a dry run only as text; omit it, or add --trust");
  }
  if (flags.json !== undefined) await checkTarget(flags.json);
  if (flags.report !== undefined && !flags.dryRun) await checkFolder(flags.report);
  flags.gate?.forEach(parseGate);
  return flags;
}

/** Returns the arguments for the script's process, which only measures. */
function childArgs(args: readonly string[], flags: Flags): string[] {
  const kept = experimentArgs(args);
  if (flags.list) return [...kept, "--list", "--no-store"];
  if (flags.dryRun) return [...kept, "--dry-run", "--no-store"];
  // A report shows a profile
  const profile = flags.report !== undefined && profileView(flags).verbosity === 0 ? ["--verbosity=1"] : [];
  return [...kept, ...profile, "--json-lines", "--no-store", "--quiet", ...flags.debug ? ["--debug"] : []];
}

/** Returns a result with everything that this process knows better, marked as a sandboxed one. */
function asKept(result: Result, { script, modules }: Recipe, environment: Environment): Result {
  const { adapter, lockHash } = result.environment;
  return {
    ...result,
    environment: { ...environment, adapter, lockHash, sandbox: true },
    scenario: { ...result.scenario, file: script, sha256: modules[0]!.sha256 },
  };
}

/** Prints, writes and keeps a result as the flags say, and returns the exit status of its gates. */
async function deliver(
  result: Result,
  recipe: Recipe,
  flags: Flags,
  { args, started }: { readonly args: readonly string[]; readonly started: number },
): Promise<number> {
  if (!stdoutIsData(flags)) writeOut(resultText(result, flags));
  const kept = keepResult(result, recipe, { store: flags.store, args, started });
  if (kept !== null && flags.quiet !== true) writeError(`${kept}\n`);
  if (flags.json !== undefined) await writeJson(flags.json, result);
  if (flags.report !== undefined) await writeReport(flags.report, result, null, commandOf(recipe.script, args));
  if (flags.gate === undefined) return 0;
  const gates = await readGates(flags.gate, {
    scenario: result.scenario.name,
    variants: result.variants.map(({ name }) => name),
    adapter: () => Promise.resolve(result.environment.adapter?.name ?? null),
    store: typeof flags.store === "string" ? flags.store : undefined,
    run: null,
  });
  return reportGates(gates, result, { ...flags, below: true });
}
