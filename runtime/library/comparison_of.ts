import { z } from "zod";
import { environmentDifferences } from "../analysis/environment_differences.ts";
import { DEFAULT_METRICS } from "../analysis/gates/default_metrics.ts";
import { GATE_METRICS } from "../analysis/gates/gate_metrics.ts";
import type { Reading } from "../analysis/gates/reading.ts";
import { compareRuns, type MetricPair } from "../analysis/run_comparison.ts";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { checked } from "../data/checked.ts";
import type { Result, VariantStatus } from "../result/schema.ts";
import { texts } from "./options.ts";

/** Options of `compareResults`. */
export interface ComparisonOptions {
  /** Metrics to compare, by the names in the reference. Default: those that `tacho compare` shows. */
  readonly metrics?: readonly string[] | undefined;
}

/** Value of a metric in a result, with its 95 % interval if it has one. */
export interface Figure {
  /** A number in `unit`, or a word such as a verdict; null if it was not measured. */
  readonly value: number | string | null;
  /** Unit, such as `ms` or `images/s`; empty without one. */
  readonly unit: string;
  readonly low: number | null;
  readonly high: number | null;
}

/** A metric in both results. */
export interface MetricComparison {
  readonly metric: string;
  readonly then: Figure | null;
  readonly now: Figure | null;
  /**
   * now / then, or now - then where the ratio is undefined, with Welch's 95 % interval; null if a number is missing. The two
   * runs were not interleaved, so what changed on the machine between them is not in the interval.
   */
  readonly change: {
    readonly by: "ratio" | "difference";
    readonly value: number;
    readonly low: number | null;
    readonly high: number | null;
  } | null;
}

/** A variant in both results. */
export interface VariantComparison {
  readonly name: string;
  /** Status in both results; null if a result lacks the variant. */
  readonly statuses: readonly [then: VariantStatus | null, now: VariantStatus | null];
  /** Metrics that at least one result has. */
  readonly metrics: readonly MetricComparison[];
  /** Number of compared losses, and the first step whose losses differ; null if a result lacks the variant. */
  readonly losses: { readonly steps: number; readonly firstDifference: number | null } | null;
}

/** Comparison of two results. */
export interface ResultComparison {
  /** Differences between the environments, the most important first; null for what is unknown or not set. */
  readonly environment: readonly { readonly what: string; readonly then: string | null; readonly now: string | null }[];
  /** Every variant that at least one result has. */
  readonly variants: readonly VariantComparison[];
}

const optionsSchema = z.strictObject({ metrics: texts.optional() });

/** Compares two results for `compareResults()`. */
export function comparisonOf(then: Result, now: Result, options: ComparisonOptions): ResultComparison {
  checked(optionsSchema, options, "compareResults()");
  const { metrics = DEFAULT_METRICS } = options;
  const unknown = metrics.find((name) => !GATE_METRICS.includes(name));
  if (unknown !== undefined) {
    throw new InputError(`compareResults(): unknown metric "${unknown}"${suggestion(unknown, GATE_METRICS)}`);
  }
  return {
    environment: environmentDifferences(then.environment, now.environment),
    variants: compareRuns(then, now, metrics).map(({ name, statuses, metrics, losses }) => ({
      name,
      statuses,
      metrics: metrics.map(plain),
      losses: losses && { steps: losses.steps, firstDifference: losses.first?.step ?? null },
    })),
  };
}

function plain({ metric: { name }, a, b, change }: MetricPair): MetricComparison {
  const by = change?.by === "ratio" ? "ratio" : "difference";
  return {
    metric: name,
    then: a && figure(a),
    now: b && figure(b),
    change: change &&
      { by, value: change.value, low: change.interval?.low ?? null, high: change.interval?.high ?? null },
  };
}

function figure(reading: Reading): Figure {
  if (reading.kind !== "number") {
    return { value: reading.kind === "word" ? reading.word : null, unit: "", low: null, high: null };
  }
  const { value, unit, interval } = reading;
  return { value, unit, low: interval?.low ?? null, high: interval?.high ?? null };
}
