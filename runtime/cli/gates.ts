import { evaluateGates, type GateOutcome, type StoredRun } from "../analysis/gates/evaluate_gates.ts";
import { environmentDifferences } from "../analysis/environment_differences.ts";
import { EVERY_VARIANT, type Gate, runOf } from "../analysis/gates/gate.ts";
import { checkGates, parseGate } from "../analysis/gates/parse_gate.ts";
import { ExitStatus, InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { findAdapter } from "../device/adapter.ts";
import { renderGates } from "../report/gates.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";
import type { RunContext } from "./gate_runs.ts";
import { stdoutIsData } from "./json_output.ts";
import { lookOfStdout, writeError, writeOut } from "./terminal.ts";

/** Context of gates besides the result. */
export interface GateContext extends RunContext {
  /** Names of the scenario's variants. */
  readonly variants: readonly string[];
  /** Names of variants that are set up like another, mapped to the name of the one that runs. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** Parsed gates with the stored runs that they refer to. */
export interface Gates {
  readonly gates: readonly Gate[];
  readonly runs: ReadonlyMap<string, StoredRun>;
}

/**
 * Parses gates and finds the runs that they refer to, before anything runs.
 *
 * @throws {InputError} if a gate is malformed, or its variant or run does not exist
 */
export async function readGates(texts: readonly string[], context: GateContext): Promise<Gates> {
  const gates = texts.map(parseGate)
    .map((gate) => ({ ...gate, variant: context.aliases?.get(gate.variant) ?? gate.variant }));
  checkGates(gates, context.variants);
  const runs = new Map<string, StoredRun>();
  for (const gate of gates) {
    const name = runOf(gate);
    if (name === null) continue;
    // Loads the store only if it is needed
    const { referenceRun } = await import("./gate_runs.ts");
    const run = runs.get(name) ?? await referenceRun(name, `--gate "${gate.text}"`, context);
    runs.set(name, run);
    checkVariant(gate, run, context.variants);
  }
  return { gates, runs };
}

/** Reads the gates of a script's command line; null if it has none. */
export async function gatesOfRun(flags: Flags, scenario: ResolvedScenario): Promise<Gates | null> {
  if (flags.gate === undefined) {
    if (flags.gateUndecided === undefined) return null;
    throw new InputError("--gate-undecided: needs --gate");
  }
  const { adapter: match } = flags;
  const onDevice = scenario.variants.some(({ config }) => config.model !== null);
  return await readGates(flags.gate, {
    scenario: scenario.name,
    variants: scenario.variants.map(({ name }) => name),
    aliases: new Map(scenario.aliases.map(({ name, of }) => [name, of])),
    adapter: async () => onDevice ? (await findAdapter(match === undefined ? {} : { match }))?.info.name ?? null : null,
    store: typeof flags.store === "string" ? flags.store : undefined,
    run: null,
  });
}

/** Options of the report of gates. */
interface GatesView extends Pick<Flags, "json" | "color" | "gateUndecided">, Partial<Pick<Flags, "jsonLines">> {
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
  result: Result,
  { color, gateUndecided: undecided = "fail", below = false, ...output }: GatesView,
): number {
  const outcomes = evaluateGates(gates, result, runs);
  const elsewhere = [...new Map(runs.values().map((run) => [run.id, run])).values()].map((run) => ({
    run: run.id,
    differences: environmentDifferences(run.result.environment, result.environment),
  }));
  const toStderr = stdoutIsData(output);
  const look = toStderr ? { columns: null, color: false } : lookOfStdout(color);
  const text = renderGates(outcomes, { ...look, undecided, elsewhere });
  if (toStderr) writeError(text);
  else writeOut(below ? `\n${text}` : text);
  const met = ({ state }: GateOutcome) => state === "pass" || (state === "undecided" && undecided === "pass");
  return outcomes.every(met) ? ExitStatus.ok : ExitStatus.gateFailed;
}

function checkVariant({ text, variant }: Gate, { id, result }: StoredRun, variants: readonly string[]): void {
  const known = result.variants.map(({ name }) => name);
  const missing = (variant === EVERY_VARIANT ? variants : [variant]).find((name) => !known.includes(name));
  if (missing === undefined) return;
  throw new InputError(`--gate "${text}": run ${id} has no variant "${missing}"${suggestion(missing, known)}`);
}
