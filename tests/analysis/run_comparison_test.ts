import assert from "node:assert/strict";
import { compareRuns } from "../../runtime/analysis/run_comparison.ts";
import type { Loss } from "../../runtime/result/schema.ts";
import { metric, noMetrics, result, speedup as asSpeedup, variant } from "../report/result_fixture.ts";

/** A run whose blocks take `walls` ms for 100 samples. */
function run(walls: readonly number[], losses: Loss[] = [2, 1]) {
  const blocks = walls.map((wall, round) => ({ round, position: 0, samples: 100, wall, steps: [] }));
  const ips = metric(walls.reduce((sum, wall) => sum + 1e5 / wall, 0) / walls.length, "images/s");
  const metrics = { ...noMetrics, ips, speedup: asSpeedup(1) };
  const trained = { losses, finalLoss: { step: losses.length - 1, value: losses.at(-1)! } };
  return result(["baseline", "sink"].map((name) => variant(name, { metrics, blocks, ...trained })));
}

Deno.test("speeds are compared by Welch's interval of log block values", () => {
  const [baseline] = compareRuns(run([100, 102, 98, 101]), run([50, 51, 49, 50.5]), ["ips"]);
  const { change } = baseline!.metrics[0]!;
  assert.equal(change!.by, "ratio");
  assert(Math.abs(change!.value - 2) < 1e-9);
  const { low, high } = change!.interval!;
  // Both samples of logs have the standard deviation 0.0171; t of 6 degrees of freedom is 2.447
  const half = 2.447 * Math.sqrt(2 * 0.01711 ** 2 / 4);
  assert(Math.abs(Math.log(low) - (Math.log(2) - half)) < 2e-3, `${low}`);
  assert(Math.abs(Math.log(high) - (Math.log(2) + half)) < 2e-3, `${high}`);
});

Deno.test("final losses are compared at the earlier of their steps, and losses step by step", () => {
  const pairs = compareRuns(run([1, 1], [3, 2, 1]), run([1, 1], [3, 2.5, 1, 0.5]), ["finalLoss"]);
  const { a, b } = pairs[0]!.metrics[0]!;
  assert.deepEqual([a, b].map((reading) => reading?.kind === "number" ? reading.value : null), [1, 1]);
  assert.deepEqual(pairs[0]!.losses, { steps: 3, first: { step: 1, then: 2, now: 2.5 } });
});

Deno.test("the final loss of a comparison is that of the matrix, whatever steps a variant took after it", () => {
  const shown = result([variant("sink", { losses: [3, 2, 1, 0.5], finalLoss: { step: 1, value: 2 } })]);
  const { a, b } = compareRuns(shown, shown, ["finalLoss"])[0]!.metrics[0]!;
  assert.deepEqual([a, b].map((reading) => reading?.kind === "number" ? reading.value : null), [2, 2]);
});

Deno.test("a variant missing from one run has no comparison, and the baseline no speed-up", () => {
  const [one, two] = [run([1, 2]), run([1, 2])];
  const pairs = compareRuns(one, { ...two, variants: [two.variants[0]!, variant("amp")] }, [
    "ips",
    "speedup",
    "accuracy",
  ]);
  assert.deepEqual(pairs.map(({ name, metrics }) => [name, metrics.map(({ metric }) => metric.name)]), [
    ["baseline", ["ips"]],
    ["sink", ["ips", "speedup"]],
    ["amp", ["ips", "speedup"]],
  ]);
  const [, sink, amp] = pairs;
  assert.deepEqual([sink!.statuses, amp!.statuses], [["ok", null], [null, "ok"]]);
  assert.deepEqual([sink!.losses, sink!.metrics[0]!.b, sink!.metrics[0]!.change], [null, null, null]);
  assert.equal(amp!.metrics[0]!.a, null);
});
