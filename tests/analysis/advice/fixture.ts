import { type AdviceInput, contextOf } from "../../../runtime/analysis/advice/context.ts";
import type { Rule } from "../../../runtime/analysis/advice/rule.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import type { Bottleneck, Finding, OpRecord, Pipeline, VariantResult } from "../../../runtime/result/schema.ts";
import type { PipelineStage } from "../../../runtime/result/pipeline.ts";
import { findingSchema } from "../../../runtime/result/finding.ts";
import { metric, noMetrics, variant } from "../../report/result_fixture.ts";
import { recordedFacts } from "../../support/op_facts.ts";
import { peaksOf } from "../../support/peaks.ts";

type Some<T> = { [K in keyof T]?: T[K] };
type Json = VariantResult["config"][string];

/** A GPU's: 10 TFLOP/s in f32, 20 in f16, 500 GB/s. */
export const peaks = peaksOf(1e13, 5e11, 2e13);

/** A software adapter's, which converts every f16. */
export const softwarePeaks = peaksOf(6.4e10, 5e9, 1.5e10);

/** A scenario's settings as a result has them. */
export function config(changes: Record<string, Record<string, Json> | Json> = {}): VariantResult["config"] {
  const usual: Record<string, Json> = {
    model: "resnet20",
    loader: { batchSize: 32, numWorkers: 0, prefetch: 2, sharedMemory: true },
    data: { kind: "cifar10", transforms: [], fuse: true, placement: "host", delay: { read: 0, decode: 0, collate: 0 } },
    amp: { level: "O0", keepF32: [] },
    sink: 0,
    compile: { fusion: true, autotune: null, layout: "auto" },
    monitor: "block",
    optimizer: { kind: "sgd" },
  };
  const merged = Object.entries(changes).map(([key, value]) => {
    const before = usual[key];
    const both = isRecord(before) && isRecord(value);
    return [key, both ? { ...before, ...value } : value] as const;
  });
  return { ...usual, ...Object.fromEntries(merged) };
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface StepFigures {
  readonly step?: number;
  readonly reader?: number;
  readonly gap?: number;
  readonly forward?: number;
  readonly backward?: number;
  readonly update?: number;
  readonly runtimeWait?: number;
}

/** A variant of 100 ms a step: 30 forward, 60 backward, 2 update; the rest is the host's. */
export function measured(figures: StepFigures = {}, fields: Some<VariantResult> = {}): VariantResult {
  const { step = 100, reader = 1, gap = 8, forward = 30, backward = 60, update = 2, runtimeWait = 0 } = figures;
  return variant("variant", {
    metrics: {
      ...noMetrics,
      ips: metric(32 / step * 1000, "images/s"),
      batchCost: metric(step),
      readerCost: metric(reader),
      iterationGap: metric(gap),
      forward: metric(forward),
      backward: metric(backward),
      update: metric(update),
      deviceBusy: metric((forward + backward + update) / step, "ratio"),
      runtimeWait: metric(runtimeWait),
    },
    config: config(),
    memory: {
      peak: 100 * 2 ** 20,
      parameters: 2 ** 20,
      gradients: 2 ** 20,
      optimizer: 2 ** 20,
      activations: 94 * 2 ** 20,
      workspace: 2 * 2 ** 20,
      feed: 2 ** 20,
    },
    ...fields,
  });
}

/** A pipeline whose threads take `make` ms for a batch of 32. */
export function pipeline(make: number, fields: Some<Pipeline> & { readonly longest?: number } = {}): Pipeline {
  const { longest = make, ...rest } = fields;
  const numWorkers = rest.numWorkers ?? 0;
  const count = Math.max(1, numWorkers);
  return {
    numWorkers,
    choice: null,
    sharedMemory: true,
    batches: 60,
    samples: 1920,
    skipped: 0,
    skipReasons: [],
    stages: [stage("read", "read", make)],
    threads: Array.from({ length: count }, (_, worker) => ({
      worker: numWorkers === 0 ? null : worker,
      batches: 60 / count,
      make: { avg: make, min: make / 2, max: longest },
      timed: 100,
      waiting: numWorkers === 0 ? null : 0,
    })),
    queues: { host: null, device: null },
    readerCost: { avg: make, min: make, max: make },
    batchCost: { avg: 100, min: 100, max: 100 },
    ips: { avg: 320, min: 320, max: 320 },
    bound: { where: "consumer", stage: null, readerShare: null, boundsTraining: false },
    ...rest,
  };
}

export function stage(name: string, kind: PipelineStage["kind"], perBatch: number): PipelineStage {
  const made = kind !== "copy" && kind !== "handOver";
  return { name, kind, perSample: perBatch / 32, perBatch, share: made ? 0.5 : null, threads: [] };
}

/** An op of one call a step. */
export function op(id: string, fields: Some<OpRecord> = {}): OpRecord {
  const mean = fields.mean ?? 10;
  const tensor = { shape: [32, 16, 32, 32], dtype: "f32" };
  return {
    id,
    name: id,
    type: "conv2d",
    ...recordedFacts(fields.type ?? "conv2d"),
    layer: id.split("/")[0]!,
    phase: "forward",
    kernel: "conv2d.forward",
    members: [],
    inputs: [tensor],
    outputs: [tensor],
    shapes: [tensor.shape, tensor.shape],
    dtype: "f32",
    inPlace: false,
    calls: 5,
    total: mean === null ? null : mean * 5,
    median: mean,
    mean,
    min: mean,
    max: mean,
    share: null,
    flops: 1e9,
    bytes: 1e6,
    dispatches: 1,
    kernels: [],
    setup: { pipeline: null, firstDispatch: null },
    ...fields,
  };
}

/** Arms that say how many times as fast the step is without host waits, and the part that launching takes. */
export function bottleneck({ free, launch = 0 }: { free: number; launch?: number }): Bottleneck {
  return {
    byRules: null,
    byArms: { bound: "host", reason: "" },
    arms: [{
      name: "no host waits",
      what: "",
      rounds: 9,
      batchCost: 10,
      ratio: { value: free, low: free, high: free },
    }],
    device: { bound: "mixed", compute: 1 - launch, memory: 0, launch, reason: "" },
  };
}

/** Convolutions of 1 GFLOP: one takes `slow` ms and the others 2; at 10 TFLOP/s that is 5 % of the roof. */
export function convolutions(slow: number): OpRecord[] {
  return [2, 2, 2, 2, slow].map((mean, i) => op(`conv${i}`, { mean, flops: 1e9, bytes: 1e3 }));
}

/** Images of CIFAR-10. */
export function cifar({ samples = 50_000, side = 32 } = {}): NonNullable<AdviceInput["data"]> {
  return { samples, sample: { dtype: "u8", channels: 3, height: side, width: side, order: "chw", image: true } };
}

export function input(variant: VariantResult, fields: Some<AdviceInput> = {}): AdviceInput {
  return {
    variant,
    baseline: null,
    cores: 8,
    software: false,
    peaks: null,
    memoryLimit: null,
    data: cifar(),
    ...fields,
  };
}

/** Applies a rule to what was measured. */
export function apply(rule: Rule, input: AdviceInput): Finding | null {
  const context = contextOf(input);
  return context === null ? null : rule(context);
}

/** Applies a rule to {@linkcode measured} steps. */
export function applied(
  rule: Rule,
  figures: StepFigures,
  fields: Some<VariantResult> = {},
  more: Some<AdviceInput> = {},
): Finding | null {
  return apply(rule, input(measured(figures, fields), more));
}

/** Checks that a finding is whole, and returns what it changes, as `path: from -> to`, and the gain. */
export function said(finding: Finding | null): { changes: string[]; gain: number } {
  if (finding === null) throw new Error("The rule said nothing");
  const { evidence, changes, predicted } = findingSchema.parse(finding);
  if (evidence.length === 0 || predicted === null || predicted.gain < 1.01) throw new Error(Deno.inspect(finding));
  return {
    changes: changes.map(({ path, from, to }) => `${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`),
    gain: predicted.gain,
  };
}

/** A step with the device idle for half of it. */
export const idle = { step: 20, reader: 2, gap: 11, forward: 4, backward: 4, update: 1 };

/** Stages of a loader with two passes over an image. */
export const passes = [
  stage("read", "read", 2),
  stage("randomCrop", "transform", 20),
  stage("normalize", "transform", 30),
];

/** Transforms as a result has them. */
export function listed(transforms: readonly TransformSpec[]): { transforms: ReturnType<typeof JSON.parse> } {
  return { transforms: JSON.parse(JSON.stringify(transforms)) };
}
