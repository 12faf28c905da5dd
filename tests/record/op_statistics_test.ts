import assert from "node:assert/strict";
import type { PassTimes } from "../../runtime/record/device_samples.ts";
import { OpStatistics } from "../../runtime/record/op_statistics.ts";

const PHASES = ["forward", "forward", "backward"];

/** Ops of 2, 3 and 5 ticks with 1 tick between them. */
function step(start: bigint): PassTimes[] {
  return [{ begin: start, end: start + 2n }, { begin: start + 3n, end: start + 6n }, {
    begin: start + 7n,
    end: start + 12n,
  }];
}

/** Times of a phase with equal steps, each of which has at most one gap. */
function phase(name: string, steps: number, interval: number, ops: number, gap: { before: number } | null = null) {
  const longest = gap && { ticks: interval - ops, before: gap.before };
  return {
    ...{ phase: name, steps, total: steps * interval, max: interval },
    ...{ gaps: gap === null ? 0 : 1, longest, median: { interval, ops, longestGap: interval - ops, submitGaps: 0 } },
  };
}

Deno.test("sums cover all added steps in constant space", () => {
  const statistics = new OpStatistics(PHASES);
  for (let i = 0; i < 5000; i++) statistics.add(step(BigInt(1000 + 20 * i)));
  assert.equal(statistics.steps, 5000);
  assert.deepEqual(statistics.ops[1], { calls: 5000, total: 15000, median: 3, min: 3, max: 3 });
  assert.deepEqual(statistics.phases, [
    phase("forward", 5000, 6, 5, { before: 1 }),
    phase("backward", 5000, 5, 5),
  ]);
  assert.equal(JSON.stringify([statistics.ops, statistics.phases]).length < 1000, true);
});

Deno.test("the median of an op ignores one stalled step and steps without its time", () => {
  const statistics = new OpStatistics(["forward"]);
  for (const [i, ticks] of [5n, 4n, 900n, 6n].entries()) {
    const begin = BigInt(1000 * (i + 1));
    statistics.add([{ begin, end: begin + ticks }]);
    statistics.add([{ begin: 0n, end: 0n }]);
  }
  assert.deepEqual(statistics.ops, [{ calls: 4, total: 915, median: 5.5, min: 4, max: 900 }]);
});

Deno.test("medians of long profiles come from steps of the whole profile, the same ones each time", () => {
  const medianOf = () => {
    const statistics = new OpStatistics(["forward"]);
    for (let i = 0; i < 5000; i++) statistics.add([{ begin: BigInt(10_000 * i + 1), end: BigInt(10_001 * i + 2) }]);
    return statistics.ops[0]!.median;
  };
  const median = medianOf();
  assert(Math.abs(median - 2500) < 250, `${median}`);
  assert.equal(medianOf(), median);
});

Deno.test("an op is the sum of its dispatches, and is not timed where one of them is not", () => {
  const statistics = new OpStatistics(PHASES, [0, 0, 1]);
  statistics.add(step(1000n));
  const broken = step(2000n);
  broken[1] = { begin: 0n, end: 0n };
  statistics.add(broken);
  assert.deepEqual(statistics.ops.map(({ calls, total, median }) => [calls, total, median]), [[1, 5, 5], [2, 10, 5]]);
  assert.deepEqual(statistics.dispatches.map(({ calls, total }) => [calls, total]), [[2, 4], [1, 3], [2, 10]]);
});

Deno.test("gaps between submits are counted separately, and the longest gap is known", () => {
  const statistics = new OpStatistics(["forward", "forward", "forward"]);
  statistics.add(step(1000n), [0, 2]);
  const [first, second, third] = step(2000n) as [PassTimes, PassTimes, PassTimes];
  statistics.add([first, second, { begin: third.begin + 40n, end: third.end + 40n }], [0, 1]);
  const { gaps, longest, median } = statistics.phases[0]!;
  assert.deepEqual([gaps, longest, median.submitGaps], [2, { ticks: 41, before: 2 }, 1]);
  assert.equal(median.longestGap, (1 + 41) / 2);

  const again = new OpStatistics(["forward", "forward", "forward"], [0, 1, 0]); // as in a second micro-batch
  again.add([first, second, { begin: third.begin + 40n, end: third.end + 40n }], [0]);
  assert.equal(again.phases[0]!.longest!.before, 0, "the op, not the dispatch");
});

Deno.test("the interval of a phase that runs twice in a step excludes the time between", () => {
  const statistics = new OpStatistics(["forward", "backward", "forward"]);
  statistics.add(step(1000n));
  assert.deepEqual(statistics.phases, [
    phase("forward", 1, 7, 7),
    phase("backward", 1, 3, 3),
  ]);
});

Deno.test("a skipped step adds nothing, and its timestamps are stale afterwards", () => {
  const statistics = new OpStatistics(PHASES);
  statistics.skip(step(100n));
  assert.deepEqual([statistics.steps, statistics.ops[0]!.calls], [0, 0]);
  assert.deepEqual(statistics.add(step(100n)), [null, null, null]);
  assert.equal(statistics.defects.stale, 3);
  assert.deepEqual(statistics.add(step(200n)), step(200n));
  assert.deepEqual([statistics.steps, statistics.ops[0]!.calls, statistics.phases[0]!.steps], [2, 1, 1]);
});

Deno.test("steps without timestamps are counted", () => {
  const statistics = new OpStatistics([]);
  assert.deepEqual(statistics.add([]), []);
  assert.deepEqual([statistics.steps, statistics.ops, statistics.phases], [1, [], []]);
});
