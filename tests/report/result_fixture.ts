import type { Pipeline } from "../../runtime/result/pipeline.ts";
import type { DryRun, DryRunVariant } from "../../runtime/result/dry_run.ts";
import { NO_DEFECTS } from "../../runtime/record/device_samples.ts";
import {
  type AdapterRecord,
  type Metric,
  type Metrics,
  type Result,
  SCHEMA_VERSION,
  type Unit,
  type VariantResult,
} from "../../runtime/result/schema.ts";

/** Fields to set on a hand-made record; the rest takes its usual value. */
type Some<T> = { [K in keyof T]?: T[K] };

export function metric(value: number, unit: Unit = "ms", fields: Some<Metric> = {}): Metric {
  return { value, min: null, max: null, unit, amortised: false, ...fields };
}

export function speedup(value: number): NonNullable<Metrics["speedup"]> {
  return { value, low: null, high: null, unit: "ratio" };
}

export const noMetrics: Metrics = {
  ips: null,
  speedup: null,
  batchCost: null,
  readerCost: null,
  stepTime: null,
  iterationGap: null,
  forward: null,
  backward: null,
  update: null,
  deviceBusy: null,
  runtimeWait: null,
  setup: null,
  firstStep: null,
  profilingCost: null,
  accuracy: null,
};

export const adapter: AdapterRecord = {
  name: "llvmpipe (LLVM 15.0.6, 256 bits)",
  vendor: null,
  backend: "vulkan",
  driver: null,
  uuid: null,
  pci: null,
  fallback: true,
  features: ["timestamp-query"],
  limits: { maxBufferSize: 2 ** 30 },
};

/** A variant that ran well. */
export function variant(name: string, fields: Some<VariantResult> = {}): VariantResult {
  return {
    name,
    axes: {},
    config: {
      model: "resnet20",
      loader: { batchSize: 32, numWorkers: 0 },
      measure: { steps: 10, skip: 3, rounds: 3 },
      epochs: null,
      sink: 0,
    },
    status: "ok",
    error: null,
    planFingerprint: "0f",
    parameters: 272_474,
    metrics: {
      ...noMetrics,
      ips: metric(140, "images/s", { min: 137, max: 143 }),
      speedup: speedup(1),
      batchCost: metric(228.57),
      readerCost: metric(12.3),
      iterationGap: metric(13.1),
      forward: metric(70.1),
      backward: metric(139.8),
      update: metric(4.25),
      deviceBusy: metric(0.937, "ratio"),
      runtimeWait: metric(0.04),
    },
    bound: "device",
    finalLoss: { step: 32, value: 1.7321 },
    overflows: null,
    measuredOverflows: null,
    lossScale: null,
    counts: { submits: 30, waits: 30, readbacks: 3 },
    timestamps: { passes: 90, usable: 90, defects: NO_DEFECTS, clockResets: 0 },
    blocks: [1, 2, 3].map((round) => ({ round, position: 0, samples: 320, wall: 2286, steps: [] })),
    autotune: null,
    ops: [],
    profile: null,
    queues: {},
    pipeline: null,
    losses: [2.31, 1.7321],
    evaluations: [],
    verdict: null,
    comparison: null,
    stepTimes: null,
    outliers: null,
    quality: null,
    seeds: null,
    target: null,
    bottleneck: null,
    memory: {
      peak: 312 * 2 ** 20,
      parameters: 2 ** 20,
      gradients: 2 ** 20,
      optimizer: 2 ** 20,
      activations: 290 * 2 ** 20,
      workspace: 16 * 2 ** 20,
      feed: 3 * 2 ** 20,
    },
    findings: [],
    ...fields,
  };
}

/** A variant that never ran. */
export function failed(name: string, message: string, exitStatus: number): VariantResult {
  return variant(name, {
    status: "failed",
    error: { message, exitStatus },
    metrics: noMetrics,
    bound: null,
    finalLoss: null,
    counts: null,
    timestamps: null,
    blocks: [],
    losses: [],
    memory: null,
  });
}

export function result(variants: VariantResult[], fields: Some<Result> = {}): Result {
  return {
    schemaVersion: SCHEMA_VERSION,
    environment: {
      tacho: "0.1.0",
      deno: "2.9.6",
      v8: "15.0.245.2-rusty",
      os: "linux x86_64",
      cpu: null,
      cores: 2,
      memory: 24 * 2 ** 30,
      adapter,
      git: null,
      gitDirty: null,
      lockHash: null,
      variables: {},
    },
    scenario: {
      name: "resnet-cifar10",
      file: "scripts/resnet.ts",
      sha256: "0".repeat(64),
      seed: 1,
      params: {},
      adapted: null,
    },
    baseline: variants[0]?.name ?? "baseline",
    variants,
    noiseFloor: null,
    procedure: null,
    effects: [],
    front: null,
    ladder: null,
    roofline: null,
    ...fields,
  };
}

/** The matrix of the README, with all that can happen to a variant. */
export function eventful(): Result {
  const baseline = variant("baseline");
  const { metrics } = baseline;
  const sink = variant("sink", {
    metrics: {
      ...metrics,
      ips: metric(151.7, "images/s", { min: 151, max: 152.4 }),
      speedup: speedup(1.0836),
      batchCost: metric(210.9, "ms", { amortised: true }),
      readerCost: metric(0.004, "ms", { amortised: true }),
      iterationGap: metric(0.31),
      deviceBusy: metric(0.9987, "ratio"),
      runtimeWait: metric(1.02),
    },
    counts: { submits: 3, waits: 3, readbacks: 3 },
    evaluations: [{ split: "test", step: 33, samples: 1000, loss: 1.5, accuracy: 0.412, skipped: 0 }],
  });
  const workers = variant("workers", {
    status: "interrupted",
    metrics: { ...metrics, ips: metric(133, "images/s"), speedup: speedup(0.95), deviceBusy: null },
    bound: "input",
    finalLoss: { step: 32, value: 1.7421 },
    evaluations: [{ split: "test", step: 33, samples: 1000, loss: 1.5, accuracy: 0.4, skipped: 0 }],
  });
  const amp = failed("amp", `The adapter "llvmpipe" has no shader-f16; run without amp, or choose another adapter`, 3);
  return result([baseline, workers, sink, amp]);
}

const stage = { perSample: null, perBatch: null, share: null, threads: [] };

/** A pipeline of two workers that bounds the training. */
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

const MIB = 2 ** 20;

const planned: DryRunVariant = {
  name: "baseline",
  config: { amp: { level: "O0" }, sink: 0, loader: { batchSize: 32, numWorkers: 0 }, optimizer: { kind: "sgd" } },
  parameters: 272_474,
  flops: { forward: 2.6e9, backward: 5.2e9, update: 1.1e6 },
  memory: {
    peak: 300 * MIB,
    parameters: MIB,
    gradients: MIB,
    optimizer: MIB,
    activations: 280 * MIB,
    workspace: 12 * MIB,
    feed: 0.75 * MIB,
  },
  exact: null,
  inputShape: [32, 3, 32, 32],
  error: null,
};

/** A dry run of three variants that can run, and one that cannot. */
export const dryRun: DryRun = {
  scenario: "resnet-cifar10",
  baseline: "baseline",
  adapter: null,
  adapted: null,
  ranks: null,
  variants: [
    planned,
    {
      ...planned,
      name: "all",
      config: { ...planned.config, amp: { level: "O2" }, loader: { batchSize: 32, numWorkers: 2 } },
    },
    { ...planned, name: "same" },
    { ...planned, name: "huge", parameters: null, flops: null, memory: null, error: "needs 90 GiB, 8 are allowed" },
  ],
  resident: { bytes: 372 * MIB, secondArm: true },
  error: null,
};
