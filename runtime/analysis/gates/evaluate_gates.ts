import type { Result, VariantResult } from "../../result/schema.ts";
import { kernelDifferences } from "../exact_counts.ts";
import { type Comparand, compareReadings } from "./compare_readings.ts";
import { decide, type GateState } from "./decide.ts";
import { EVERY_VARIANT, type Gate, runOf } from "./gate.ts";
import { type GatedVariant, type Reading, readLoss, readMetric } from "./reading.ts";

/** Outcome of a gate for a variant. */
export interface GateOutcome {
  readonly gate: Gate;
  readonly variant: string;
  readonly state: GateState;
  /** Measured value. */
  readonly reading: Reading;
  /** For a relative gate, the stored run's ID and value. */
  readonly reference: { readonly run: string; readonly reading: Reading } | null;
  /** Figure compared with the limit; null if none could be. */
  readonly compared: Comparand | null;
  /** Reason in a short sentence; empty if the interval explains it. */
  readonly why: string;
}

/** A stored run that gates refer to. */
export interface StoredRun {
  readonly id: string;
  readonly result: Result;
}

/** The part of a result that gates read. */
export interface GatedResult extends Pick<Result, "baseline"> {
  readonly variants: GatedVariant[];
}

/**
 * Evaluates gates on a result. A gate over every variant has an outcome for each, except the baseline for metrics that are
 * relative to it.
 *
 * @param runs stored runs, by their names in gates
 */
export function evaluateGates(
  gates: readonly Gate[],
  result: GatedResult,
  runs: ReadonlyMap<string, StoredRun>,
): GateOutcome[] {
  return gates.flatMap((gate) => {
    const run = runOf(gate);
    const stored = run === null ? null : runs.get(run) ?? null;
    return variantsOf(gate, result).map((variant) => evaluateGate(gate, result, variant, stored));
  });
}

/** Metrics relative to the baseline. */
const OF_OTHERS: readonly string[] = ["speedup", "verdict", "quality.difference"];

function variantsOf({ variant, metric }: Gate, { variants, baseline }: GatedResult): VariantResult[] {
  if (variant !== EVERY_VARIANT) return variants.filter(({ name }) => name === variant);
  const others = variants.filter(({ name }) => name !== baseline);
  return OF_OTHERS.includes(metric.name) && others.length > 0 ? others : [...variants];
}

function evaluateGate(gate: Gate, result: GatedResult, variant: VariantResult, stored: StoredRun | null): GateOutcome {
  const { metric, wanted, operator } = gate;
  const reading = readMetric(result, variant, metric);
  const outcome = (state: GateState, why: string, rest: Partial<GateOutcome> = {}): GateOutcome => ({
    gate,
    variant: variant.name,
    state,
    reading,
    reference: null,
    compared: null,
    why: why === "" && reading.kind === "number" ? reading.place ?? "" : why,
    ...rest,
  });
  if (variant.status === "failed" && metric.name !== "status") {
    return outcome("fail", `the variant failed: ${variant.error?.message ?? "unknown reason"}`);
  }
  if (reading.kind === "missing") return outcome("missing", reading.why);
  if (wanted.kind === "words") return judgeWord(gate, variant, reading, outcome);
  if (wanted.kind === "number") {
    if (reading.kind === "word") return outcome("missing", `${metric.name} is not a number`);
    if (wanted.unit !== null && wanted.unit !== reading.unit) {
      return outcome("missing", `measured in ${reading.unit}, not in ${wanted.unit}`);
    }
    const compared: Comparand = {
      ...reading,
      sample: reading.blocks?.length ?? null,
      limit: wanted.value,
      by: "value",
    };
    return outcome(...decide(compared, operator), { compared });
  }
  const other = stored?.result.variants.find(({ name }) => name === variant.name);
  if (stored === null || other === undefined) {
    return outcome("missing", `run ${stored?.id ?? wanted.run} has no variant "${variant.name}"`);
  }
  const reference = { run: stored.id, reading: readMetric(stored.result, other, metric) };
  if (reading.kind === "word") return judgeKernels(gate, [variant, other], reference, outcome);
  if (reference.reading.kind !== "number") {
    const why = reference.reading.kind === "missing" ? reference.reading.why : reference.reading.word;
    return outcome("missing", `run ${stored.id}: ${why}`, { reference });
  }
  if (reference.reading.unit !== reading.unit) {
    const why = `run ${stored.id} is measured in ${reference.reading.unit}, this one in ${reading.unit}`;
    return outcome("missing", why, { reference });
  }
  if (metric.name === "finalLoss" && variant.finalLoss?.step !== other.finalLoss?.step) {
    return judgeLosses(gate, [variant, other], stored.id, outcome);
  }
  const compared = compareReadings(reading, reference.reading, wanted);
  return outcome(...decide(compared, operator), { reference, compared });
}

/** Compares the final losses of two runs at the last step that both reached. */
function judgeLosses(
  { wanted, operator }: Gate,
  [variant, other]: readonly [VariantResult, VariantResult],
  run: string,
  outcome: (state: GateState, why: string, rest: Partial<GateOutcome>) => GateOutcome,
): GateOutcome {
  const step = Math.min(variant.finalLoss!.step, other.finalLoss!.step);
  const [reading, reference] = [readLoss(variant, step), readLoss(other, step)];
  const rest = { reading, reference: { run, reading: reference } };
  if (reading.kind !== "number" || reference.kind !== "number" || wanted.kind === "number" || wanted.kind === "words") {
    return outcome("missing", `one of the runs has no loss at step ${step}`, rest);
  }
  const compared = compareReadings(reading, reference, wanted);
  const [state] = decide(compared, operator);
  return outcome(state, `losses of both runs at step ${step}`, { ...rest, compared });
}

/** Compares the kernels of two runs, and names those that differ. */
function judgeKernels(
  { operator }: Gate,
  [variant, other]: readonly [VariantResult, VariantResult],
  reference: NonNullable<GateOutcome["reference"]>,
  outcome: (state: GateState, why: string, rest: Partial<GateOutcome>) => GateOutcome,
): GateOutcome {
  const [now, then] = [variant.exact?.kernels, other.exact?.kernels];
  if (now == null || then == null) return outcome("missing", `run ${reference.run}: not counted`, { reference });
  const why = kernelDifferences(now, then);
  return outcome((why === "") === (operator === "==") ? "pass" : "fail", why, { reference });
}

function judgeWord(
  { wanted, operator, metric }: Gate,
  { comparison }: VariantResult,
  reading: Reading,
  outcome: (state: GateState, why: string) => GateOutcome,
): GateOutcome {
  const word = reading.kind === "word" ? reading.word : "";
  const listed = wanted.kind === "words" && wanted.words.includes(word);
  if (listed === (operator === "==")) return outcome("pass", "");
  if (metric.name !== "verdict") return outcome("fail", "");
  // An unclear verdict does not contradict the wanted one
  return outcome(word === "unclear" ? "undecided" : "fail", comparison?.reason ?? "");
}
