import assert from "node:assert/strict";
import { bottleneckOf } from "../../../runtime/analysis/bottleneck/bottleneck.ts";
import { readRules } from "../../../runtime/analysis/bottleneck/by_rules.ts";
import type { Pipeline, VariantResult } from "../../../runtime/result/schema.ts";
import { metric, noMetrics, variant } from "../../report/result_fixture.ts";

function measured(
  { step = 100, reader = 1, busy = 0.9, copy = 0.1 },
  pipeline: Partial<Pipeline> = {},
): VariantResult {
  return variant("baseline", {
    metrics: {
      ...noMetrics,
      batchCost: metric(step),
      readerCost: metric(reader),
      deviceBusy: metric(busy, "ratio"),
    },
    pipeline: {
      numWorkers: 0,
      choice: null,
      sharedMemory: true,
      batches: 10,
      samples: 80,
      skipped: 0,
      skipReasons: [],
      stages: [{ name: "let data", kind: "copy", perSample: copy / 8, perBatch: copy, share: null, threads: [] }],
      threads: [],
      queues: { host: null, device: null },
      readerCost: { avg: reader, min: reader, max: reader },
      batchCost: { avg: step, min: step, max: step },
      ips: { avg: 80, min: 80, max: 80 },
      bound: { where: "consumer", stage: null, readerShare: reader / step, boundsTraining: false },
      ...pipeline,
    },
  });
}

const starved = { where: "making", stage: "read", readerShare: 0.8, boundsTraining: true } as const;

Deno.test("a device busy for most of the step bounds it", () => {
  assert.equal(readRules(measured({ busy: 0.9 }))!.bound, "device");
});

Deno.test("an empty queue bounds the step, and the reason names it", () => {
  const queues = { host: { capacity: 4, depth: { avg: 0.1, min: 0, max: 1 }, empty: 0.93, full: 0 }, device: null };
  const reading = readRules(measured({ reader: 80, busy: 0.1 }, { queues, bound: starved }))!;
  assert.equal(reading.bound, "input");
  assert.match(reading.reason, /host queue empty for 93 % of steps/);
  assert.equal(readRules(measured({ busy: 0.1 }, { bound: { ...starved, where: "copy" } }))!.bound, "transfer");
});

Deno.test("copying for most of a step is bound by transfer, unexplained idle time by the host", () => {
  assert.equal(readRules(measured({ busy: 0.2, copy: 70 }))!.bound, "transfer");
  assert.equal(readRules(measured({ busy: 0.1 }))!.bound, "host");
});

Deno.test("a step without a dominant part has no bound", () => {
  assert.equal(readRules(measured({ busy: 0.35, reader: 35 }))!.bound, "none");
  assert.equal(readRules(measured({ busy: 0.45, reader: 42 }))!.bound, "none");
});

Deno.test("waiting for batches for nearly half of a step, and longer than for any other part, bounds it", () => {
  assert.equal(readRules(measured({ busy: 0.41, reader: 49 }))!.bound, "input");
});

Deno.test("without device times and ablations there is no bottleneck", () => {
  const blind = variant("baseline", { metrics: { ...noMetrics, batchCost: metric(10) } });
  assert.equal(readRules(blind), null);
  assert.equal(bottleneckOf(blind, null, null), null);
  assert.equal(bottleneckOf(measured({}), null, null)!.byArms, null);
});
