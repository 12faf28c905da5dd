import { followsRank0 } from "../cluster/launcher.ts";
import { ExitStatus, InputError } from "../core/errors.ts";
import { isSandboxed } from "../library/missing_permission.ts";
import { scriptFile } from "../library/script.ts";
import type { Emit } from "../result/run_event.ts";
import { registeredScenario, type Scenario } from "../scenario/definition.ts";
import { resolveForAdapter } from "../scenario/resolve_for_adapter.ts";
import type { Experiment } from "./on_ranks.ts";
import { exitStatusOf, messageOf, printFailure } from "./failure.ts";
import { parseFlags, settingsOf } from "./flags.ts";
import { helpText } from "./help.ts";
import { jsonLines } from "./json_lines.ts";
import { checkTarget, STDOUT } from "./json_output.ts";
import { profileView } from "./profile_view.ts";
import { outputStatus, PROSE_WIDTH, terminalColumns, writeOut } from "./terminal.ts";
import { isPlain } from "../scenario/merge.ts";

/** Runs the registered scenario as the command line says, and returns the exit status. */
export async function main(
  args: readonly string[],
  load: () => Promise<Experiment>,
  onEvent: Emit = () => {},
): Promise<number> {
  const writeLine = args.includes("--json-lines") ? jsonLines({ timelines: isSandboxed() }) : () => {};
  const emit: Emit = (event) => {
    writeLine(event);
    onEvent(event);
  };
  const definition = registeredScenario();
  const ranked = asksForRanks(definition, args);
  const debug = args.includes("--debug");
  const report = (error: unknown) => {
    const exitStatus = exitStatusOf(error);
    printFailure(error, debug);
    emit({ type: "error", message: messageOf(error), exitStatus });
    return exitStatus;
  };
  let status: number;
  try {
    status = outputStatus(await dispatch(definition, args, { load, emit, follows: ranked && followsRank0() }));
  } catch (error) {
    status = ranked && await (await import("./on_ranks.ts")).isReportedByRank0(error)
      ? exitStatusOf(error)
      : report(error);
  }
  if (!ranked) return status;
  try {
    const { leaveRanks } = await import("./on_ranks.ts");
    await leaveRanks();
    return status;
  } catch (error) {
    return status || report(error);
  }
}

async function dispatch(
  definition: Scenario | null,
  args: readonly string[],
  { load, emit, follows }: {
    load: () => Promise<Experiment>;
    emit: Emit;
    /** True on ranks other than 0, which print nothing and write no files. */
    follows: boolean;
  },
): Promise<number> {
  if (definition === null) {
    throw new InputError("run(): no scenario to run; call scenario({ ... }) first");
  }
  const command = `deno run -A ${scriptFile() ?? Deno.mainModule}`;
  const helpWidth = Math.min(terminalColumns(), PROSE_WIDTH);
  const helpAfter = () => helpText(definition, command, helpWidth).trimEnd();
  const flags = parseFlags(args, { command, helpAfter, helpWidth, write: follows ? () => {} : writeOut });
  if (flags === null) return ExitStatus.ok;
  if (flags.sandbox) {
    const script = scriptFile() ?? "SCRIPT";
    throw new InputError(`--sandbox: this script already runs with all permissions; use tacho run ${script} --sandbox`);
  }
  profileView(flags); // throws if flags contradict each other
  if (flags.tuneTime !== undefined && flags.tune !== true) throw new InputError("--tune-time: needs --tune");
  if (flags.jsonLines && (flags.list || flags.dryRun || flags.fit || flags.json === STDOUT)) {
    throw new InputError(
      "--json-lines: writes the events of a run to stdout; omit --list, --dry-run, --fit and --json -",
    );
  }
  if (flags.json !== undefined && !follows) await checkTarget(flags.json);
  if (flags.junit !== undefined && !follows) await checkTarget(flags.junit, "--junit");
  const scenario = await resolveForAdapter(definition, { ...flags, ...settingsOf(flags) });
  const { runResolved } = await import("./run_resolved.ts");
  return await runResolved(scenario, flags, { definition, args, load, emit, follows });
}

const KEY = "distribute";

/** Records and lists down to `variants.both.parts[0]`, the deepest place of the setting. */
const DEPTH = 5;

/** Keys with values of the user, which may be large. */
const SKIPPED: ReadonlySet<string> = new Set(["data", "loss", "model", "optimizer", "params", "programs", "schedule"]);

/** Records whose keys are names that the user chooses. */
const BY_NAME: ReadonlySet<string> = new Set(["adapters", "variants"]);

/**
 * Returns true if the scenario or an argument sets `distribute`. Without it, nothing looks for other ranks, so that a
 * cluster's launcher can start any scenario. Decides before anything is checked, since ranks report wrong settings together.
 */
export function asksForRanks(definition: unknown, args: readonly string[]): boolean {
  return args.some(isArgument) || isNamed(definition, DEPTH);
}

/** Reads `distribute=VALUE`, `distribute=VALUE,VALUE` and `distribute.KEY=VALUE`. */
function isArgument(text: string): boolean {
  const at = text.indexOf("=");
  const key = at < 0 ? text : text.slice(0, at);
  if (key.startsWith(`${KEY}.`)) return true;
  return key === KEY && text.slice(at + 1).split(",").some((value) => value !== "false" && value !== "null");
}

function isNamed(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth > 0 && value.some((entry) => isNamed(entry, depth - 1));
  if (!isPlain(value) || depth === 0) return false;
  return Object.entries(value).some(([key, entry]) => {
    if (key === KEY) return isOn(entry);
    if (BY_NAME.has(key) && isPlain(entry)) return isNamed(Object.values(entry), depth - 1);
    return key.startsWith(`${KEY}.`) || !SKIPPED.has(key) && isNamed(entry, depth - 1);
  });
}

/** Returns true for a value, or the values of a sweep, that train on several ranks. */
function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOn);
  return value !== undefined && value !== null && value !== false && value !== "false" && value !== "null";
}
