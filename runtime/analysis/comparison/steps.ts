import type { Block, Outliers, StepTimes } from "../../result/schema.ts";
import { quantile } from "../step_statistics.ts";
import { timePerSample } from "./block_pairs.ts";

/** With fewer blocks none can lie outside of the fences. */
const FEWEST_BLOCKS = 5;

/**
 * How the times of the steps of all blocks lie; null where no step was timed. The steps of a sink share one time, and
 * have none of their own to tell.
 */
export function stepTimesOf(blocks: readonly Block[]): StepTimes | null {
  const times = blocks.flatMap(({ steps }) => steps.map(({ batchCost }) => batchCost));
  const sorted = times.filter((time) => time !== null && Number.isFinite(time)).toSorted((a, b) => a! - b!) as number[];
  if (sorted.length === 0) return null;
  return {
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1)!,
    steps: sorted.length,
  };
}

/**
 * Blocks whose time per sample lies more than 1.5 or 3 quartile distances outside of the quartiles (Tukey, Exploratory
 * Data Analysis, 1977); null where there are too few.
 */
export function outliersOf(blocks: readonly Block[]): Outliers | null {
  const times = blocks.map(timePerSample).filter((time) => time !== null).toSorted((a, b) => a - b);
  if (times.length < FEWEST_BLOCKS) return null;
  const [lower, upper] = [quantile(times, 0.25), quantile(times, 0.75)];
  const outside = (distances: number) => {
    const fence = distances * (upper - lower);
    return times.filter((time) => time < lower - fence || time > upper + fence).length;
  };
  const severe = outside(3);
  return { mild: outside(1.5) - severe, severe, blocks: times.length };
}
