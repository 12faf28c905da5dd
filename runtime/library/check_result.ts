import { z } from "zod";
import { evaluateGates, type GateOutcome } from "../analysis/gates/evaluate_gates.ts";
import { runOf } from "../analysis/gates/gate.ts";
import { parseGate } from "../analysis/gates/parse_gate.ts";
import { InputError } from "../core/errors.ts";
import { knownNames } from "../core/nearest.ts";
import { checked } from "../data/checked.ts";
import type { Result } from "../result/schema.ts";
import { storeOption, texts } from "./options.ts";
import { readGates } from "./read_gates.ts";

/** Options of `checkGates`. */
export interface GateCheckOptions {
  /** Treatment of gates whose interval includes the limit. Default `fail`. */
  readonly undecided?: "pass" | "fail" | undefined;
  /** Results that gates refer to by name: `{ before }` for `ips.sink>=-2%@before`. */
  readonly results?: Readonly<Record<string, Result>> | undefined;
  /** Store for runs that gates name, such as `@last`: `true` for the default folder, or the path of another one. */
  readonly store?: boolean | string | undefined;
}

/** Outcome of a gate for a variant. */
export interface CheckedGate {
  /** The gate as written. */
  readonly gate: string;
  readonly variant: string;
  /** `undecided`: the interval includes the limit; `missing`: the figure or its reference is missing. */
  readonly state: "pass" | "fail" | "undecided" | "missing";
  /** Measured value in `unit`, or a word such as a verdict; null if it was not measured. */
  readonly value: number | string | null;
  /** Unit of the value, such as `ms` or `images/s`; empty without one. */
  readonly unit: string;
  /** Figure that was compared: the value, or its ratio to or difference from the reference; null if none could be. */
  readonly compared: {
    readonly by: "value" | "ratio" | "difference";
    readonly value: number;
    /** 95 % confidence interval; null without one. */
    readonly interval: { readonly low: number; readonly high: number } | null;
    readonly limit: number;
  } | null;
  /** Reason in a short sentence; empty if the interval explains it. */
  readonly why: string;
}

/** Outcome of all gates. */
export interface GateCheck {
  /** True if every gate holds. */
  readonly passed: boolean;
  readonly gates: readonly CheckedGate[];
}

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
