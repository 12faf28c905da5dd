import type { StoredRun } from "../analysis/gates/evaluate_gates.ts";
import { EVERY_VARIANT, type Gate, runOf } from "../analysis/gates/gate.ts";
import { checkVariants, parseGate } from "../analysis/gates/parse_gate.ts";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import type { Result } from "../result/schema.ts";
import type { RunContext } from "./gate_runs.ts";

/** Context of gates besides the result. */
export interface GateContext extends RunContext {
  /** Names of the scenario's variants. */
  readonly variants: readonly string[];
  /** Names of variants that are set up like another, mapped to the name of the one that runs. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Results that gates may refer to by name, instead of runs in the store. */
  readonly results?: Readonly<Record<string, Result>>;
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
  checkVariants(gates, context.variants);
  const runs = new Map<string, StoredRun>();
  for (const gate of gates) {
    const name = runOf(gate);
    if (name === null) continue;
    const run = runs.get(name) ?? await findRun(name, gate, context);
    runs.set(name, run);
    checkVariant(gate, run, context.variants);
  }
  return { gates, runs };
}

async function findRun(name: string, { text }: Gate, context: GateContext): Promise<StoredRun> {
  const { results = {} } = context;
  const given = Object.hasOwn(results, name) ? results[name] : undefined;
  if (given !== undefined) return { id: name, result: given };
  // Loads the store only if it is needed
  const { referenceRun } = await import("./gate_runs.ts");
  return await referenceRun(name, `gate "${text}"`, context);
}

function checkVariant({ text, variant }: Gate, { id, result }: StoredRun, variants: readonly string[]): void {
  const known = result.variants.map(({ name }) => name);
  const missing = (variant === EVERY_VARIANT ? variants : [variant]).find((name) => !known.includes(name));
  if (missing === undefined) return;
  throw new InputError(`gate "${text}": run ${id} has no variant "${missing}"${suggestion(missing, known)}`);
}
