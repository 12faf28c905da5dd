import { evaluateGates, type GatedResult, type GateOutcome } from "../analysis/gates/evaluate_gates.ts";
import { environmentDifferences } from "../analysis/environment_differences.ts";
import { ExitStatus, InputError } from "../core/errors.ts";
import { findAdapter } from "../device/adapter.ts";
import { type GateContext, type Gates, readGates } from "../library/read_gates.ts";
import { renderGates } from "../report/gates.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { CheckedRun } from "./ci/write_checks.ts";
import type { Flags } from "./flags.ts";
import { stdoutIsData } from "./json_output.ts";
import { lookOfStdout, writeError, writeOut } from "./terminal.ts";

/** Reads the gates of a command line before anything runs; null if it has none. */
export async function readGatesOf(
  { gate, gateUndecided, store }: Pick<Flags, "gate" | "gateUndecided" | "store">,
  context: Omit<GateContext, "store" | "run">,
): Promise<Gates | null> {
  if (gate !== undefined) {
    return await readGates(gate, { ...context, store: typeof store === "string" ? store : undefined, run: null });
  }
  if (gateUndecided === undefined) return null;
  throw new InputError("--gate-undecided: needs --gate");
}

/** Reads the gates of a script's command line; null if it has none. */
export function gatesOfRun(flags: Flags, scenario: ResolvedScenario): Promise<Gates | null> {
  const { name, variants, programs, aliases } = scenario;
  const onDevice = programs.length > 0 || variants.some(({ config }) => config.model !== null);
  return readGatesOf(flags, {
    scenario: name,
    variants: [...variants, ...programs].map(({ name }) => name),
    aliases: new Map(aliases.map(({ name, of }) => [name, of])),
    adapter: async () => onDevice ? (await findAdapter({ match: flags.adapter }))?.info.name ?? null : null,
  });
}

/** Options of the report of gates. */
interface GatesView
  extends Pick<Flags, "json" | "color" | "gateUndecided">, Partial<Pick<Flags, "jsonLines" | "junit">> {
  /** Separates them from the text above. */
  readonly below?: boolean;
}

/**
 * Prints the outcome of each gate, to stderr if stdout holds data.
 *
 * @returns the exit status: 1 if a gate fails
 */
export function reportGates(
  { gates, runs }: Gates,
  result: GatedResult & Partial<Pick<Result, "environment">>,
  { color, gateUndecided: undecided = "fail", below = false, ...output }: GatesView,
): number {
  const outcomes = evaluateGates(gates, result, runs);
  const elsewhere = [...new Map(runs.values().map((run) => [run.id, run])).values()].map((run) => ({
    run: run.id,
    differences: result.environment === undefined
      ? []
      : environmentDifferences(run.result.environment, result.environment),
  }));
  const toStderr = stdoutIsData(output);
  const look = toStderr ? { columns: null, color: false } : lookOfStdout(color);
  const text = renderGates(outcomes, { ...look, undecided, elsewhere });
  if (toStderr) writeError(text);
  else writeOut(below ? `\n${text}` : text);
  const met = ({ state }: GateOutcome) => state === "pass" || (state === "undecided" && undecided === "pass");
  return outcomes.every(met) ? ExitStatus.ok : ExitStatus.gateFailed;
}

/**
 * Prints the outcome of the gates below the result, and writes the checks for CI systems, whose code is loaded only if a flag
 * asks for it.
 *
 * @returns the exit status of the first failed variant, even if others ran, else of the gates
 */
export async function judge(
  run: Omit<CheckedRun, "toStderr">,
  flags: GatesView & Pick<Flags, "annotations">,
): Promise<number> {
  const { gates, gated } = run;
  const status = gates === null ? ExitStatus.ok : reportGates(gates, gated, { ...flags, below: true });
  if (flags.annotations !== undefined || flags.junit !== undefined) {
    const { writeChecks } = await import("./ci/write_checks.ts");
    await writeChecks(flags, { ...run, toStderr: stdoutIsData(flags) });
  }
  return gated.variants.find(({ error }) => error !== null)?.error?.exitStatus ?? status;
}
