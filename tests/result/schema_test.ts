import assert from "node:assert/strict";
import { z } from "zod";
import { fromLoss, readResult, resultSchema, SCHEMA_VERSION, toLoss } from "../../runtime/result/schema.ts";
import { adapter, eventful, metric, noMetrics, result, variant } from "../report/result_fixture.ts";
import { recordedFacts } from "../support/op_facts.ts";

/** The messages that the schema has for a value, or none. */
function complaints(value: unknown): string {
  const { error } = resultSchema.safeParse(value);
  return error === undefined ? "" : z.prettifyError(error);
}

Deno.test("a result survives JSON", () => {
  const written = eventful();
  assert.deepEqual(resultSchema.parse(JSON.parse(JSON.stringify(written))), written);
});

Deno.test("a result has the keys that readers rely on", () => {
  const [first] = eventful().variants;
  assert.deepEqual(Object.keys(eventful()).sort(), [
    "baseline",
    "effects",
    "environment",
    "front",
    "ladder",
    "noiseFloor",
    "procedure",
    "roofline",
    "scenario",
    "schemaVersion",
    "variants",
  ]);
  const promised =
    "name config status error planFingerprint metrics blocks ops queues losses evaluations verdict memory findings";
  for (const key of promised.split(" ")) assert(key in first!, key);
  const metrics =
    "ips speedup batchCost readerCost stepTime iterationGap forward backward update deviceBusy runtimeWait setup " +
    "firstStep profilingCost accuracy";
  assert.deepEqual(Object.keys(noMetrics).sort(), metrics.split(" ").sort());
});

Deno.test("steps, ops, queues and evaluations are accepted", () => {
  const step = {
    index: 3,
    batchCost: 228.5,
    readerCost: null,
    stepTime: null,
    iterationGap: null,
    forward: 70,
    backward: 139,
    update: 4,
    loss: "NaN" as const,
  };
  const op = {
    id: "layer1.0.conv1",
    name: "conv1",
    type: "conv2d",
    ...recordedFacts("conv2d"),
    layer: "layer1.0",
    phase: "forward" as const,
    kernel: "conv2d_direct",
    members: [],
    inputs: [{ shape: [32, 16, 32, 32], dtype: "f32" }, { shape: [16, 16, 3, 3], dtype: "f32" }],
    outputs: [{ shape: [32, 16, 32, 32], dtype: "f32" }],
    shapes: [[32, 16, 32, 32], [16, 16, 3, 3], [32, 16, 32, 32]],
    dtype: "f32",
    calls: 10,
    total: 12.5,
    median: 1.24,
    min: 1.2,
    max: 1.4,
    share: 0.5,
    inPlace: false,
    dispatches: 1,
    kernels: [{ name: "conv2d_direct", calls: 10, total: 12.5, median: 1.24, mean: 1.25, min: 1.2, max: 1.4 }],
    setup: { pipeline: 0.4, firstDispatch: null },
    mean: 1.25,
    flops: 1e9,
    bytes: null,
  };
  const evaluation = { split: "test", step: 33, samples: 1000, loss: 1.2, accuracy: 0.5, skipped: 0 };
  const full = variant("baseline", {
    blocks: [{ round: 1, position: 0, samples: 320, wall: 2286.1, steps: [step] }],
    ops: [op],
    queues: { host: [2, 1, 0] },
    evaluations: [evaluation],
  });
  assert.equal(complaints(result([full])), "");
});

Deno.test("unknown fields and invalid values are refused", () => {
  assert.match(complaints({ ...eventful(), extra: 1 }), /Unrecognized key: "extra"/);
  assert.match(complaints({ ...eventful(), schemaVersion: SCHEMA_VERSION + 1 }), /schemaVersion/);
  const [first] = eventful().variants;
  const withMetrics = (metrics: unknown) => ({ ...eventful(), variants: [{ ...first, metrics }] });
  assert.equal(complaints(withMetrics({ ...noMetrics, forward: metric(1) })), "");
  assert.match(complaints(withMetrics({ ...noMetrics, forward: 1 })), /variants\[0\].metrics.forward/);
  assert.match(complaints(withMetrics({ ...noMetrics, forward: metric(NaN) })), /forward.value/);
  assert.match(complaints(withMetrics({ ...noMetrics, forward: { ...metric(1), unit: "seconds" } })), /forward.unit/);
  assert.match(complaints(withMetrics({ ...noMetrics, sideways: metric(1) })), /sideways/);
  const { update: _, ...incomplete } = noMetrics;
  assert.match(complaints(withMetrics(incomplete)), /metrics.update/);
});

Deno.test("a non-finite loss survives JSON and differs from one that was not measured", () => {
  for (const value of [1.5, 0, NaN, Infinity, -Infinity]) {
    assert.equal(fromLoss(JSON.parse(JSON.stringify(toLoss(value)))), value);
  }
});

Deno.test("an adapter that was kept without UUID and address has none", () => {
  const { uuid: _, pci: __, ...earlier } = adapter;
  const whole = result([variant("a")]);
  const read = readResult({ ...whole, environment: { ...whole.environment, adapter: earlier } }, "x");
  assert.deepEqual(read.environment.adapter, { ...earlier, uuid: null, pci: null });
});
