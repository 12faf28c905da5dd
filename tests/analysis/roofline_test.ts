import assert from "node:assert/strict";
import { place, rooflineOf, roofsOf } from "../../runtime/analysis/roofline.ts";
import type { OpRecord } from "../../runtime/result/schema.ts";
import { createPage, renderSection } from "../../runtime/report/page.ts";
import { rooflineTable } from "../../runtime/report/profile/roofline.ts";
import { resultSchema } from "../../runtime/result/schema.ts";
import { metric, noMetrics, result, variant } from "../report/result_fixture.ts";
import { recordedFacts } from "../support/op_facts.ts";
import { peaksOf } from "../support/peaks.ts";

/** 100 GFLOP/s, 10 GB/s: the ridge lies at 10 FLOP a byte. */
const peaks = peaksOf(100e9, 10e9, 200e9);

function op(name: string, flops: number, bytes: number, mean: number | null, fields: Partial<OpRecord> = {}): OpRecord {
  return {
    id: name,
    name,
    type: "conv2d",
    ...recordedFacts("conv2d"),
    layer: name,
    phase: "forward",
    kernel: "k",
    members: [],
    inputs: [],
    outputs: [],
    shapes: [],
    dtype: "f32",
    inPlace: false,
    calls: 1,
    total: mean,
    median: mean,
    mean,
    min: mean,
    max: mean,
    share: null,
    flops,
    bytes,
    dispatches: 1,
    kernels: [],
    setup: { pipeline: null, firstDispatch: null },
    ...fields,
  };
}

Deno.test("work is compute-bound at high intensity and memory-bound at low intensity", () => {
  // 1 GFLOP on 10 MB: 10 ms of arithmetic, 1 ms of memory
  assert.deepEqual(place({ flops: 1e9, bytes: 1e7, time: 20, dtype: "f32" }, peaks), {
    intensity: 100,
    bound: "compute",
    attainable: 100e9,
    attainableTime: 10,
    share: 0.5,
  });
  // 10 MFLOP on 100 MB: 0.1 ms of arithmetic, 10 ms of memory
  assert.deepEqual(place({ flops: 1e7, bytes: 1e8, time: 40, dtype: "f32" }, peaks), {
    intensity: 0.1,
    bound: "memory",
    attainable: 1e9,
    attainableTime: 10,
    share: 0.25,
  });
});

Deno.test("a copy has a memory roof, f16 the higher peak, and no work no roof", () => {
  const copy = place({ flops: 0, bytes: 1e7, time: 2, dtype: "f32" }, peaks)!;
  assert.deepEqual([copy.bound, copy.attainable, copy.share], ["memory", null, 0.5]);
  assert.equal(place({ flops: 1e9, bytes: 1, time: null, dtype: "f16" }, peaks)!.attainableTime, 5);
  const slowHalf = { ...peaks, f16: { ...peaks.f16!, value: 1e9 } };
  assert.equal(place({ flops: 1e9, bytes: 1, time: null, dtype: "f16" }, slowHalf)!.attainableTime, 10);
  assert.equal(place({ flops: 0, bytes: 0, time: 1, dtype: "f32" }, peaks), null);
  assert.equal(place({ flops: 1, bytes: 1, time: null, dtype: "f32" }, peaks)!.share, null);
});

const ops = [op("conv", 1e9, 1e7, 20), op("relu", 1e7, 1e8, 40), op("untimed", 1e6, 1e6, null)];

Deno.test("a step is placed by all its ops and the time of its phases", () => {
  const metrics = { ...noMetrics, forward: metric(30), backward: metric(20) };
  const step = rooflineOf(peaks, [variant("baseline", { ops: ops.slice(0, 2), metrics })]).steps[0]!;
  assert.equal(step.time, 50);
  assert.ok(Math.abs(step.attainableTime - 11) < 1e-9); // 110 MB
  assert.ok(Math.abs(step.share! - 0.22) < 1e-9);
  assert.ok(Math.abs(step.opShare! - 0.4) < 1e-9); // 10 ms each
});

Deno.test("one stalled step does not change the time of a step's phases", () => {
  const metrics = { ...noMetrics, forward: metric(30 + 176 / 5), backward: metric(20) };
  const steps = [30, 30, 206, 31, 29].map((forward, index) => ({
    ...{ index, batchCost: null, readerCost: null, stepTime: null, iterationGap: null, loss: null },
    ...{ forward, backward: 20, update: null },
  }));
  const blocks = [{ round: 0, position: 0, samples: 5, wall: 1, steps }];
  const [step] = rooflineOf(peaks, [variant("baseline", { ops: ops.slice(0, 2), metrics, blocks })]).steps;
  assert.equal(step!.time, 50);
});

Deno.test("a step without phase times uses op times, if all ops have one", () => {
  const timed = variant("baseline", { ops: ops.slice(0, 2), metrics: noMetrics });
  assert.equal(rooflineOf(peaks, [timed]).steps[0]!.time, 60);
  assert.deepEqual(rooflineOf(peaks, [variant("baseline", { ops, metrics: noMetrics })]).steps, []);
  assert.deepEqual(rooflineOf(peaks, [variant("loader")]).steps, []);
});

Deno.test("only timed ops have a share", () => {
  assert.deepEqual([...roofsOf(ops, peaks)].map(([id, { share }]) => [id, share]), [["conv", 0.5], ["relu", 0.25]]);
});

Deno.test("the table shows ops with the largest loss first, the step and the peaks", () => {
  const measured = variant("baseline", { ops });
  const roofline = rooflineOf(peaks, [measured]);
  resultSchema.parse(result([measured], { roofline }));
  const page = createPage({ columns: 100, color: false });
  const lines = renderSection(page, rooflineTable(roofline, measured, 2));
  const text = lines.join("\n");
  assert.match(lines[0]!, /^Roofline: 2 of 3 ops, by time lost$/);
  assert.ok(text.indexOf("relu") < text.indexOf("conv"));
  assert.match(text, /relu +forward +0\.10 +memory +0\.25 +1\.00 +25 +30\.0/);
  assert.match(text, /Whole step: .*memory-bound/);
  assert.match(text, /f32 100 GFLOP\/s, f16 200 GFLOP\/s, copy 10\.0 GB\/s; measured 2026-01-02/);
  assert.deepEqual(renderSection(page, rooflineTable(roofline, variant("other"), null)), []);
});
