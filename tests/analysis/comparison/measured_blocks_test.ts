import { deepEqual, equal, ok } from "node:assert/strict";
import { compareArms } from "../../../runtime/analysis/comparison/compare.ts";
import { measuredBlocks } from "../../../runtime/analysis/comparison/measured_blocks.ts";
import { RandomStream } from "../../../runtime/core/random.ts";
import { percentilesOf } from "../../../runtime/core/percentile.ts";
import type { Block, StepRecord } from "../../../runtime/result/schema.ts";

function blockOf(round: number, times: readonly number[]): Block {
  const unknown = { readerCost: null, stepTime: null, iterationGap: null, forward: null, backward: null, update: null };
  const steps = times.map((batchCost, index): StepRecord => ({ index, batchCost, ...unknown, loss: null }));
  const wall = times.reduce((sum, time) => sum + time, 0);
  return { round, setup: 0, position: 0, samples: times.length, wall, steps };
}

/** Times of steps of which one in 20 takes longer. */
function stepsOf(random: RandomStream, slow: number): number[] {
  return Array.from({ length: 100 }, (_, i) => (i % 20 === 0 ? slow : 10) * (1 + 0.02 * random.uniform()));
}

Deno.test("a percentile shows a tail that the mean hides", () => {
  const random = new RandomStream(3);
  const rounds = Array.from({ length: 12 }, (_, round) => round);
  const [a, b, again] = [20, 26, 20].map((slow) => rounds.map((round) => blockOf(round, stepsOf(random, slow))));
  const verdict = (statistic: "mean" | "p50" | "p99") => {
    const measured = (blocks: readonly Block[]) => measuredBlocks(blocks, statistic);
    const arm = { quality: null, updates: null, work: null, failed: false };
    return compareArms({
      ...{ baseline: "a", minEffect: 0.05, byPrecision: false, seed: 1, controlArm: measured(again!) },
      arms: [{ ...arm, name: "a", blocks: measured(a!) }, { ...arm, name: "b", blocks: measured(b!) }],
    }).byName.get("b")!.verdict;
  };
  deepEqual([verdict("mean"), verdict("p50"), verdict("p99")], ["same", "same", "slower"]);
});

Deno.test("a block without times of single steps has no percentile", () => {
  const block = blockOf(0, [1, 2, 3]);
  const untimed = { ...block, steps: block.steps.map((step) => ({ ...step, batchCost: null })) };
  equal(measuredBlocks([untimed], "p50")[0]!.wall, NaN);
  equal(measuredBlocks([block], "p50")[0]!.wall, 6);
  equal(measuredBlocks([block], "mean")[0], block);
});

Deno.test("intervals of percentiles cover them in 95 % of samples of a skewed distribution, and are missing for few values", () => {
  const random = new RandomStream(7);
  const trials = 2000;
  const truth = [0.5, 0.9, 0.95, 0.99].map((part) => -Math.log(1 - part)); // of an exponential distribution
  const covered = [0, 0, 0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const values = Array.from({ length: 500 }, () => -Math.log(1 - random.uniform()));
    percentilesOf(values).forEach(({ low, high }, i) => {
      if (low! <= truth[i]! && truth[i]! <= high!) covered[i]!++;
    });
  }
  ok(covered.every((count) => count / trials >= 0.94 && count / trials <= 0.99), `${covered}`);
  const few = percentilesOf(Array.from({ length: 100 }, (_, i) => i));
  deepEqual(few.map(({ low, high }) => [low === null, high === null]), [
    [false, false],
    [false, false],
    [false, false],
    [false, true],
  ]);
  deepEqual(percentilesOf([]), []);
});
