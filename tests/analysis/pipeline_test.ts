import assert from "node:assert/strict";
import { analyzePipeline, type MeasuredPipeline, type PipelineStep } from "../../runtime/analysis/pipeline.ts";
import type { LoaderProfile, ThreadProfile } from "../../runtime/data/loader/meter.ts";
import { pipelineSchema } from "../../runtime/result/pipeline.ts";

function thread(worker: number, fields: Partial<ThreadProfile> = {}): ThreadProfile {
  return {
    worker,
    batches: 10,
    samples: 40,
    make: { sum: 80, min: 6, max: 12 },
    slotWait: 20,
    timed: 20,
    stages: [10, 20, 30, 1],
    ...fields,
  };
}

function loader(fields: Partial<LoaderProfile> = {}): LoaderProfile {
  return {
    stages: ["read", "decode", "randomCrop+normalize", "collate"],
    threads: [thread(0), thread(1)],
    handOver: { sum: 2, max: 0.4 },
    batches: 20,
    samples: 80,
    skipped: 0,
    skipReasons: [],
    warned: 0,
    warnings: [],
    ...fields,
  };
}

function steps(count: number, fields: Partial<PipelineStep> = {}): PipelineStep[] {
  return Array.from({ length: count }, () => ({
    batchCost: 10,
    readerCost: 0.1,
    letData: 0.5,
    hostQueue: 3,
    deviceQueue: null,
    ...fields,
  }));
}

function measured(fields: Partial<MeasuredPipeline> = {}): MeasuredPipeline {
  return {
    loader: loader(),
    numWorkers: 2,
    choice: null,
    sharedMemory: true,
    slots: 5,
    sink: 0,
    trains: true,
    batchSize: 4,
    batchesPerStep: 1,
    ranks: 1,
    unitsPerSample: 1,
    steps: steps(20),
    ...fields,
  };
}

Deno.test("stages have times per sample, batch and worker, and shares", () => {
  const slow = thread(1, { timed: 5, stages: [10, 5, 5, 0] });
  const pipeline = analyzePipeline(measured({ loader: loader({ threads: [thread(0), slow] }) }))!;
  pipelineSchema.parse(pipeline);
  const [read, decode, transform, collate, handOver, copy] = pipeline.stages;
  assert.deepEqual([read!.name, read!.kind, read!.perSample, read!.perBatch], ["read", "read", 20 / 25, 80 / 25]);
  assert.deepEqual(read!.threads, [{ worker: 0, perSample: 0.5 }, { worker: 1, perSample: 2 }]);
  // Thread 0 made 40 samples of 3.05 ms, thread 1 made 40 of 4 ms.
  assert.equal(read!.share, (0.5 * 40 + 2 * 40) / (3.05 * 40 + 4 * 40));
  assert.deepEqual([decode!.kind, transform!.kind, collate!.kind], ["decode", "transform", "collate"]);
  assert.deepEqual([handOver!.kind, handOver!.perBatch, handOver!.share], ["handOver", 0.1, null]);
  assert.deepEqual([copy!.kind, copy!.perBatch, copy!.perSample], ["copy", 0.5, 0.125]);
});

Deno.test("threads have a spread and the fraction of time waiting for a slot", () => {
  const { threads } = analyzePipeline(measured())!;
  assert.deepEqual(threads[0], { worker: 0, batches: 10, make: { avg: 8, min: 6, max: 12 }, timed: 20, waiting: 0.2 });
});

Deno.test("threads have the batches made ahead at each step", () => {
  const both = [...steps(1, { workerQueues: [2, 0] }), ...steps(2, { workerQueues: [1, 3] })];
  const { threads } = analyzePipeline(measured({ steps: both }))!;
  assert.deepEqual(threads.map(({ ready }) => ready), [[2, 1, 1], [0, 3, 3]]);
});

Deno.test("queues have a depth and the fractions empty and full", () => {
  const { queues } = analyzePipeline(
    measured({ steps: [...steps(3, { hostQueue: 0 }), ...steps(1, { hostQueue: 5 })], slots: 5 }),
  )!;
  assert.deepEqual(queues, {
    host: { capacity: 5, depth: { avg: 1.25, min: 0, max: 5 }, empty: 0.75, full: 0.25 },
    device: null,
  });
});

Deno.test("costs and rates have a mean, minimum and maximum", () => {
  const { readerCost, batchCost, ips } = analyzePipeline(
    measured({ steps: [...steps(1, { batchCost: 10, readerCost: 1 }), ...steps(1, { batchCost: 30, readerCost: 2 })] }),
  )!;
  assert.deepEqual(readerCost, { avg: 1.5, min: 1, max: 2 });
  assert.deepEqual(batchCost, { avg: 20, min: 10, max: 30 });
  assert.deepEqual(ips, { avg: 200, min: 200, max: 200 });
  assert.equal(analyzePipeline(measured({ unitsPerSample: 3, steps: steps(2) }))!.ips.avg, 1200);
  const uneven = analyzePipeline(
    measured({ steps: [...steps(10, { batchCost: 10 }), ...steps(10, { batchCost: 30 })] }),
  )!;
  assert.deepEqual(uneven.ips, { avg: 200, min: 4 / 30 * 1000, max: 400 });
});

Deno.test("the pipeline bounds training if the host queue is empty and the loop waits", () => {
  const starved = analyzePipeline(measured({ steps: steps(9, { hostQueue: 0, readerCost: 7 }) }))!;
  assert.deepEqual(starved.bound, {
    where: "making",
    stage: "randomCrop+normalize",
    readerShare: 0.7,
    boundsTraining: true,
  });
  const quick = analyzePipeline(measured({ steps: steps(9, { hostQueue: 0, readerCost: 0.1 }) }))!;
  assert.equal(quick.bound.boundsTraining, false);
  assert.equal(analyzePipeline(measured())!.bound.boundsTraining, false);
});

Deno.test("without workers the pipeline bounds training if it takes most of a step", () => {
  const alone = { numWorkers: 0, slots: null, loader: loader({ threads: [thread(-1)], handOver: null }) };
  const bound = (readerCost: number) => analyzePipeline(measured({ ...alone, steps: steps(5, { readerCost }) }))!.bound;
  assert.deepEqual([bound(6).boundsTraining, bound(4).boundsTraining], [true, false]);
  const { threads, queues, stages } = analyzePipeline(measured(alone))!;
  assert.deepEqual([threads[0]!.worker, threads[0]!.waiting, queues.host], [null, null, null]);
  assert.ok(!stages.some(({ kind }) => kind === "handOver"));
});

Deno.test("with sinks the pipeline bounds training if the device runs out of batches", () => {
  const bound = (hostQueue: number, deviceQueue: number) =>
    analyzePipeline(measured({ sink: 4, steps: steps(8, { hostQueue, deviceQueue, readerCost: 6 }) }))!.bound;
  assert.deepEqual([bound(0, 4).boundsTraining, bound(0, 4).where], [false, "consumer"]);
  assert.deepEqual([bound(0, 0).boundsTraining, bound(0, 0).where], [true, "making"]);
  assert.deepEqual([bound(5, 0).boundsTraining, bound(5, 0).where], [true, "copy"]);
});

Deno.test("the loader alone bounds nothing", () => {
  const { bound, stages } = analyzePipeline(measured({ trains: false }))!;
  assert.deepEqual([bound.where, bound.boundsTraining], ["making", null]);
  assert.ok(!stages.some(({ kind }) => kind === "copy"));
});

Deno.test("times that were not measured are null", () => {
  const untimed = loader({ threads: [thread(0, { timed: 0, stages: [0, 0, 0, 0] })] });
  const { stages, bound } = analyzePipeline(measured({ loader: untimed }))!;
  assert.deepEqual([stages[0]!.perSample, stages[0]!.perBatch, stages[0]!.share], [null, null, null]);
  assert.equal(bound.stage, null);
  assert.equal(analyzePipeline(measured({ steps: [] })), null);
});
