import type { Pipeline } from "../../runtime/result/pipeline.ts";

const stage = { perSample: null, perBatch: null, share: null, threads: [] };

/** A pipeline of two workers. */
export const pipeline: Pipeline = {
  numWorkers: 2,
  choice: null,
  sharedMemory: true,
  batches: 30,
  samples: 960,
  skipped: 2,
  skipReasons: ["Sample 7 (batch 0): a.jpg is no JPEG"],
  stages: [
    {
      ...stage,
      name: "read",
      kind: "read",
      perSample: 0.0031,
      perBatch: 0.0992,
      share: 0.2,
      threads: [{ worker: 0, perSample: 0.003 }, { worker: 1, perSample: 0.0032 }],
    },
    { ...stage, name: "decode", kind: "decode", perSample: 0.31, perBatch: 9.92, share: 0.8 },
    { ...stage, name: "hand-over", kind: "handOver", perSample: 0.0005, perBatch: 0.016 },
  ],
  threads: [0, 1].map((worker) => ({
    worker,
    batches: 15,
    make: { avg: 10, min: 9, max: 12 },
    timed: 480,
    waiting: 0.1,
  })),
  queues: { host: { capacity: 5, depth: { avg: 0.4, min: 0, max: 2 }, empty: 0.7, full: 0 }, device: null },
  readerCost: { avg: 6, min: 1, max: 9 },
  batchCost: { avg: 10, min: 8, max: 14 },
  ips: { avg: 3200, min: 2286, max: 4000 },
  bound: { where: "making", stage: "decode", readerShare: 0.6, boundsTraining: true },
};
