import { z } from "zod";
import { environmentDifferences } from "../analysis/environment_differences.ts";
import { DEFAULT_METRICS } from "../analysis/gates/default_metrics.ts";
import { GATE_METRICS } from "../analysis/gates/gate_metrics.ts";
import type { Reading } from "../analysis/gates/reading.ts";
import { compareRuns, type MetricPair } from "../analysis/run_comparison.ts";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { checked } from "../data/checked.ts";
import type { Result } from "../result/schema.ts";
import { texts } from "./options.ts";
import type { ComparisonOptions, Figure, MetricComparison, ResultComparison } from "./result_comparison.ts";

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
