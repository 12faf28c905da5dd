/**
 * Losses and accuracies over trainings with several seeds. A difference is paired: both variants are trained with the same
 * seeds, so that what a seed does to both cancels, as with common random numbers (P. Glasserman and D. Yao, "Some guidelines
 * and guarantees for common random numbers", Management Science 38, 1992). Seeds are the unit since they are the level that
 * varies between trainings (X. Bouthillier et al., "Accounting for variance in machine learning benchmarks", MLSys 2021).
 * Intervals are Student's, of the mean over seeds (Student, "The probable error of a mean", Biometrika 6, 1908).
 *
 * @module
 */
import { type Estimate, fromLoss, type Seeds } from "../../result/schema.ts";
import { LEVEL } from "./estimate.ts";
import { studentMean } from "./student.ts";

type Runs = Seeds["runs"];

/** Returns the estimates of a variant's repeated trainings. */
export function seedEstimates(runs: Runs): Pick<Seeds, "loss" | "accuracy"> {
  return { loss: estimateOf(lossesBySeed(runs).values()), accuracy: estimateOf(accuraciesBySeed(runs).values()) };
}

/** Returns the estimates of the differences from the baseline's trainings with the same seeds. */
export function seedDifferences(runs: Runs, baseline: Runs): Pick<Seeds, "lossDifference" | "accuracyDifference"> {
  return {
    lossDifference: estimateOf(paired(lossesBySeed(runs), lossesBySeed(baseline))),
    accuracyDifference: estimateOf(paired(accuraciesBySeed(runs), accuraciesBySeed(baseline))),
  };
}

/** Returns the loss of each seed. */
export function lossesBySeed(runs: Runs): Map<number, number> {
  return new Map(runs.map(({ seed, loss }) => [seed, fromLoss(loss)]));
}

function accuraciesBySeed(runs: Runs): Map<number, number> {
  return new Map(runs.flatMap(({ seed, accuracy }) => accuracy === null ? [] : [[seed, accuracy] as const]));
}

/** Returns the differences over the seeds that both have. */
function paired(values: ReadonlyMap<number, number>, baseline: ReadonlyMap<number, number>): number[] {
  return [...values].flatMap(([seed, value]) => {
    const other = baseline.get(seed);
    return other === undefined ? [] : [value - other];
  });
}

/** Returns the mean with its interval; null without values, or where one is not finite, as where a training diverged. */
function estimateOf(given: Iterable<number>): Estimate | null {
  const values = [...given];
  if (values.length === 0 || !values.every(Number.isFinite)) return null;
  if (values.length === 1) return { value: values[0]!, low: null, high: null };
  const { value, interval } = studentMean(values, LEVEL);
  return { value, ...interval };
}
