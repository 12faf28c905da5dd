import type { Block, Outliers, StepTimes } from "../../result/schema.ts";
import { percentilesOf, type Statistic } from "../../core/percentile.ts";
import { quantile } from "../../core/statistics.ts";
import { timePerSample } from "./block_pairs.ts";

/** Minimum number of blocks; with fewer, none can lie outside the fences. */
const MIN_BLOCKS = 5;

/**
 * Returns the distribution of the step times of all blocks; null if no step was timed, as in a sink, whose steps share one
 * time.
 *
 * @param statistic compared one: percentiles with their intervals are of interest if it is one of them
 */
export function stepTimesOf(blocks: readonly Block[], statistic: Statistic = "mean"): StepTimes | null {
  const times = blocks.flatMap(({ steps }) => steps.map(({ batchCost }) => batchCost));
  const sorted = times.filter((time) => time !== null && Number.isFinite(time)).toSorted((a, b) => a! - b!) as number[];
  if (sorted.length === 0) return null;
  return {
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1)!,
    steps: sorted.length,
    ...statistic === "mean" ? {} : { percentiles: percentilesOf(sorted) },
  };
}

/**
 * Counts blocks whose time per sample lies more than 1.5 or 3 interquartile ranges outside the quartiles (J. W. Tukey,
 * Exploratory Data Analysis, 1977); null with too few blocks.
 */
export function outliersOf(blocks: readonly Block[]): Outliers | null {
  const times = blocks.map(timePerSample).filter((time) => time !== null).toSorted((a, b) => a - b);
  if (times.length < MIN_BLOCKS) return null;
  const [lower, upper] = [quantile(times, 0.25), quantile(times, 0.75)];
  const outside = (distances: number) => {
    const fence = distances * (upper - lower);
    return times.filter((time) => time < lower - fence || time > upper + fence).length;
  };
  const severe = outside(3);
  return { mild: outside(1.5) - severe, severe, blocks: times.length };
}
