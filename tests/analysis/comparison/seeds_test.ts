import assert from "node:assert/strict";
import { seedDifferences, seedEstimates } from "../../../runtime/analysis/comparison/seeds.ts";
import type { Loss, Seeds } from "../../../runtime/result/schema.ts";

const runs = (losses: readonly Loss[], accuracies: readonly number[] = [], first = 1): Seeds["runs"] =>
  losses.map((loss, i) => ({ seed: first + i, loss, accuracy: accuracies[i] ?? null }));

/** Half the width of a 95 % interval by the table of t, for n - 1 degrees of freedom. */
const HALF = (t: number, deviation: number, n: number) => t * deviation / Math.sqrt(n);

Deno.test("the interval of a mean over seeds is Student's", () => {
  const { loss, accuracy } = seedEstimates(runs([1, 2, 3, 4, 5], [0.5, 0.6, 0.5, 0.6, 0.5]));
  assert.equal(loss!.value, 3);
  assert.ok(Math.abs(loss!.high! - (3 + HALF(2.7764, Math.sqrt(2.5), 5))) < 1e-3);
  assert.ok(Math.abs(accuracy!.value - 0.54) < 1e-12 && accuracy!.low! < 0.54 && accuracy!.high! > 0.54);
  assert.deepEqual(seedEstimates(runs([2])).loss, { value: 2, low: null, high: null }, "one seed has no interval");
  assert.deepEqual(seedEstimates(runs([2, 3])).accuracy, null, "nothing was evaluated");
});

Deno.test("differences are paired by seed, so that what a seed does to both cancels", () => {
  const { lossDifference, accuracyDifference } = seedDifferences(
    runs([1.1, 5.1, 3.12, 9.08], [0.6, 0.7, 0.8, 0.9]),
    runs([1, 5, 3, 9], [0.5, 0.6, 0.7, 0.8]),
  );
  assert.ok(Math.abs(lossDifference!.value - 0.1) < 1e-9);
  assert.ok(lossDifference!.low! > 0.05 && lossDifference!.high! < 0.15, JSON.stringify(lossDifference));
  assert.ok(Math.abs(accuracyDifference!.value - 0.1) < 1e-9);
});

Deno.test("only seeds that both were trained with count", () => {
  const { lossDifference } = seedDifferences(runs([2, 3, 4]), runs([1, 1], [], 2));
  assert.equal(lossDifference!.value, (3 - 1 + (4 - 1)) / 2);
  assert.equal(seedDifferences(runs([2]), runs([1], [], 5)).lossDifference, null);
});

Deno.test("a training that diverged leaves no estimate", () => {
  assert.equal(seedEstimates(runs([1, "NaN", 2])).loss, null);
  assert.equal(seedDifferences(runs([1, 2]), runs([1, "Infinity"])).lossDifference, null);
});
