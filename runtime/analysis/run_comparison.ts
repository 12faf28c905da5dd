/**
 * Comparison of two stored runs, variant by variant.
 *
 * @module
 */
import type { Result, VariantResult } from "../result/schema.ts";
import { compareLosses, type LossAgreement } from "./agreement/losses.ts";
import { type Comparand, compareReadings } from "./gates/compare_readings.ts";
import { type GateMetric, splitSubject } from "./gates/gate_metrics.ts";
import { type Reading, readLoss, readMetric } from "./gates/reading.ts";

/** A metric of a variant in both runs; null if a run lacks the variant. */
export interface MetricPair {
  readonly metric: GateMetric;
  readonly a: Reading | null;
  readonly b: Reading | null;
  /** b / a, or b - a if the ratio is undefined, with Welch's interval; null if a number is missing. */
  readonly change: Comparand | null;
}

/** A variant in both runs. */
export interface VariantPair {
  readonly name: string;
  /** Status in both runs; null if a run lacks the variant. */
  readonly statuses: readonly [then: VariantResult["status"] | null, now: VariantResult["status"] | null];
  /** Metrics that at least one run has. */
  readonly metrics: readonly MetricPair[];
  /** Agreement of the losses; null if a run lacks the variant. */
  readonly losses: LossAgreement | null;
}

/** Compares metrics, given by name, of every variant that at least one run has. */
export function compareRuns(a: Result, b: Result, metrics: readonly string[]): VariantPair[] {
  const names = new Set([...a.variants, ...b.variants].map(({ name }) => name));
  return [...names].map((name) => {
    const [first, second] = [a, b].map(({ variants }) => variants.find((variant) => variant.name === name) ?? null);
    // The baseline's speed-up over itself is 1
    const own = name === a.baseline && name === b.baseline ? metrics.filter((metric) => metric !== "speedup") : metrics;
    return {
      name,
      statuses: [first?.status ?? null, second?.status ?? null],
      metrics: own.map((metric) => pair(metric, [a, first!], [b, second!]))
        .filter((found) => [found.a, found.b].some((reading) => reading !== null && reading.kind !== "missing")),
      losses: first === null || second === null ? null : compareLosses(first!.losses, second!.losses),
    };
  });
}

type Side = readonly [result: Result, variant: VariantResult | null];

function pair(name: string, ...sides: readonly [Side, Side]): MetricPair {
  const { metric } = splitSubject(`${name}.*`, name);
  const read = ([result, variant]: Side) => variant === null ? null : readMetric(result, variant, metric);
  const [a, b] = name === "finalLoss" ? lossesAtOneStep(sides) : sides.map(read);
  const both = a?.kind === "number" && b?.kind === "number";
  const change = both ? compareReadings(b, a, { kind: "factor", run: "", factor: 1 }) : null;
  return { metric, a: a!, b: b!, change };
}

/** Reads the final losses of both runs at the earlier of their steps, since losses of different steps are not comparable. */
function lossesAtOneStep(sides: readonly [Side, Side]): (Reading | null)[] {
  const step = Math.min(...sides.flatMap(([, variant]) => variant?.finalLoss == null ? [] : [variant.finalLoss.step]));
  return sides.map(([, variant]) => variant === null ? null : readLoss(variant, step));
}
