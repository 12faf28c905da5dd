import { z } from "zod";
import { evaluateGates, type GateOutcome } from "../analysis/gates/evaluate_gates.ts";
import { runOf } from "../analysis/gates/gate.ts";
import { parseGate } from "../analysis/gates/parse_gate.ts";
import { InputError } from "../core/errors.ts";
import { knownNames } from "../core/nearest.ts";
import { checked } from "../data/checked.ts";
import type { Result } from "../result/schema.ts";
import type { CheckedGate, GateCheck, GateCheckOptions } from "./gate_check.ts";
import { storeOption, texts } from "./options.ts";
import { readGates } from "./read_gates.ts";

const optionsSchema = z.strictObject({
  undecided: z.enum(["pass", "fail"], { error: 'expected "pass" or "fail"' }).optional(),
  results: z.record(z.string(), z.looseObject({}), { error: "expected results by name" }).optional(),
  store: storeOption,
});

/** Checks gates for `checkGates()`. */
export async function checkResult(
  result: Result,
  conditions: readonly string[],
  options: GateCheckOptions,
): Promise<GateCheck> {
  checked(optionsSchema, options, "checkGates()");
  const texted = checked(texts, conditions, "checkGates()");
  const { undecided = "fail", results = {}, store = false } = options;
  if (store === false) refuseUnknown(texted, results);
  const { gates, runs } = await readGates(texted, {
    scenario: result.scenario.name,
    variants: result.variants.map(({ name }) => name),
    adapter: () => Promise.resolve(result.environment.adapter?.name ?? null),
    store: typeof store === "string" ? store : undefined,
    run: null,
    results,
  });
  const outcomes = evaluateGates(gates, result, runs).map(checkedGate);
  return { passed: outcomes.every((gate) => holds(gate, undecided)), gates: outcomes };
}

/** @throws {InputError} if a gate names a run that is not given */
function refuseUnknown(gates: readonly string[], results: Readonly<Record<string, Result>>): void {
  for (const text of gates) {
    const name = runOf(parseGate(text));
    if (name === null || Object.hasOwn(results, name)) continue;
    throw new InputError(
      `checkGates(): gate "${text}" names the run "${name}"; pass results: { ${name} }, or store: true to look it up` +
        knownNames(Object.keys(results)),
    );
  }
}

/** Returns true if a gate holds, with undecided gates treated as `undecided` says. */
export function holds({ state }: CheckedGate, undecided: "pass" | "fail"): boolean {
  return state === "pass" || (state === "undecided" && undecided === "pass");
}

/** Returns the outcome of a gate as plain data. */
export function checkedGate({ gate, variant, state, reading, compared, why }: GateOutcome): CheckedGate {
  return {
    gate: gate.text,
    variant,
    state,
    value: reading.kind === "number" ? reading.value : reading.kind === "word" ? reading.word : null,
    unit: reading.kind === "number" ? reading.unit : "",
    compared: compared &&
      { by: compared.by, value: compared.value, interval: compared.interval, limit: compared.limit },
    why,
  };
}
