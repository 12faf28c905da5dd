import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { phaseSeries, sampleSteps, spreadOf, stepSeries } from "../../runtime/analysis/step_statistics.ts";
import { quantile } from "../../runtime/core/statistics.ts";
import { blocks } from "../report/profile_fixture.ts";

Deno.test("a spread matches hand-computed values", () => {
  assert.deepEqual(spreadOf([4, 1, 3, 2]), {
    count: 4,
    total: 10,
    mean: 2.5,
    min: 1,
    median: 2.5,
    p95: 3.8499999999999996,
    max: 4,
  });
  assert.equal(spreadOf([7])!.p95, 7);
  assert.equal(spreadOf([]), null);
});

Deno.test("quantiles match numpy's default method", () => {
  const sorted = [1, 2, 4, 8, 16];
  assert.deepEqual([0, 0.1, 0.25, 0.5, 0.9, 1].map((part) => quantile(sorted, part)), [1, 1.4, 2, 4, 12.8, 16]);
});

Deno.test("a spread is ordered and independent of the order of values", () => {
  fc.assert(fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (values) => {
    const spread = spreadOf(values)!;
    assert(spread.min <= spread.median && spread.median <= spread.p95 && spread.p95 <= spread.max);
    assert.equal(spread.p95, spreadOf(values.toReversed())!.p95);
  }));
});

Deno.test("a series covers the steps of all blocks, with null for unmeasured steps", () => {
  const gap = stepSeries(blocks, "iterationGap");
  assert.deepEqual(gap.values, [null, 0.5, 0.5, 0.5, 0.5, null, 0.5, 0.5, 0.5, 0.5]);
  assert.equal(gap.spread!.count, 8);
  const forward = phaseSeries(blocks, "forward");
  assert.deepEqual([forward.spread!.mean, forward.spread!.median, forward.spread!.max], [3.6, 3, 9]);
  assert.deepEqual(phaseSeries([], "forward"), { values: [], spread: null, trend: null, hiccups: [] });
});

/** The series of forward times, a step each. */
function seriesOf(times: (number | null)[]) {
  const [block] = blocks;
  const [step] = block!.steps;
  return phaseSeries([{ ...block!, steps: times.map((forward) => ({ ...step!, forward })) }], "forward");
}

Deno.test("a single slow step is a hiccup, not a trend", () => {
  const series = seriesOf([3, 3.1, 2.9, 3, 9, 3, 3.1, 2.9, 3, null]);
  assert.deepEqual(series.hiccups, [4]);
  assert(Math.abs(series.trend!) < 0.05);
  assert.deepEqual(seriesOf([3, 3.1, 2.9, 3.2]).hiccups, []);
});

Deno.test("Steps that grow slowly are a trend, and no hiccups", () => {
  const series = seriesOf([10, 11, 12, 13, 14, 15, 16, 17, 18]);
  assert.equal(series.trend, 17 / 11 - 1);
  assert.deepEqual(series.hiccups, []);
  assert.equal(seriesOf([1, 2, 3]).trend, null);
});

Deno.test("Many steps are drawn as few points, each the slowest of its steps", () => {
  const values = Array.from({ length: 100 }, (_, i) => i === 57 ? 9 : 1);
  assert.deepEqual(sampleSteps(values, 10), [1, 1, 1, 1, 1, 9, 1, 1, 1, 1]);
  assert.deepEqual(sampleSteps([1, null], 10), [1, null]);
  assert.deepEqual(sampleSteps([null, null, 1, null], 2), [null, 1]);
});
