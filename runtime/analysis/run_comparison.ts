/**
 * Two runs of different times side by side, variant by variant.
 *
 * @module
 */
import type { Result, VariantResult } from "../result/schema.ts";
import { compareLosses, type LossAgreement } from "./agreement/losses.ts";
import { type Comparand, compareReadings } from "./gates/compare_readings.ts";
import { type GateMetric, splitSubject } from "./gates/gate_metrics.ts";
import { type Reading, readLoss, readMetric } from "./gates/reading.ts";

/** A metric of a variant in both runs; null where a run has no such variant. */
export interface MetricPair {
  readonly metric: GateMetric;
  readonly a: Reading | null;
  readonly b: Reading | null;
  /** b / a, or b - a where that has no meaning, with Welch's interval; null where a number is missing. */
  readonly change: Comparand | null;
}

export interface VariantPair {
  readonly name: string;
  /** What became of it in both runs; null where a run has no such variant. */
  readonly statuses: readonly [then: VariantResult["status"] | null, now: VariantResult["status"] | null];
  /** The metrics that at least one of the runs has. */
  readonly metrics: readonly MetricPair[];
  /** Null where a run has no such variant. */
  readonly losses: LossAgreement | null;
}

/** Compares `metrics`, by name, of every variant that one of the runs has. */
export function compareRuns(a: Result, b: Result, metrics: readonly string[]): VariantPair[] {
  const names = new Set([...a.variants, ...b.variants].map(({ name }) => name));
  return [...names].map((name) => {
    const [first, second] = [a, b].map(({ variants }) => variants.find((variant) => variant.name === name) ?? null);
    // The baseline's ratio to itself says nothing
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

/** Losses of different steps say nothing about each other: the last step that both runs have is taken. */
function lossesAtOneStep(sides: readonly [Side, Side]): (Reading | null)[] {
  const step = Math.min(...sides.flatMap(([, variant]) => variant === null ? [] : [variant.losses.length])) - 1;
  return sides.map(([, variant]) => variant === null ? null : readLoss(variant, step));
}
