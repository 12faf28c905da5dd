import { NO_DEFECTS } from "../../runtime/record/device_samples.ts";
import type {
  Block,
  OpRecord,
  PhaseSplit,
  Profile,
  Result,
  StepRecord,
  VariantResult,
} from "../../runtime/result/schema.ts";
import { metric, result, variant } from "./result_fixture.ts";
import { recordedFacts } from "../support/op_facts.ts";

type Some<T> = { [K in keyof T]?: T[K] };

/** A tensor of f32. */
export function tensor(...shape: number[]) {
  return { shape, dtype: "f32" };
}

/** An op that was timed in five steps. */
export function op(id: string, type: string, mean: number | null, fields: Some<OpRecord> = {}): OpRecord {
  const record: Omit<OpRecord, "kernels"> = {
    id,
    name: id,
    type,
    ...recordedFacts(type),
    layer: id.split("/")[0]!,
    phase: "forward",
    kernel: `${type}.forward`,
    members: [],
    inputs: [tensor(4, 8)],
    outputs: [tensor(4, 8)],
    shapes: [[4, 8], [4, 8]],
    dtype: "f32",
    inPlace: false,
    calls: mean === null ? 0 : 5,
    total: mean === null ? null : mean * 5,
    median: mean,
    mean,
    min: mean === null ? null : mean * 0.75,
    max: mean === null ? null : mean * 1.5,
    share: mean === null ? null : mean / 8,
    flops: 1e6,
    bytes: 2e6,
    dispatches: 1,
    setup: { pipeline: 20, firstDispatch: null },
    ...fields,
  };
  return { ...record, kernels: fields.kernels ?? dispatchesOf(record) };
}

/** Dispatches that share the time of an op equally. */
function dispatchesOf(op: Omit<OpRecord, "kernels">): OpRecord["kernels"] {
  const part = (time: number | null) => time === null ? null : time / op.dispatches;
  return Array.from({ length: op.dispatches }, (_, i) => ({
    name: i === 0 ? op.kernel : `${op.kernel}.part${i + 1}`,
    calls: op.calls,
    total: part(op.total),
    median: part(op.median),
    mean: part(op.mean),
    min: part(op.min),
    max: part(op.max),
  }));
}

const gradient = (fields: Some<OpRecord> = {}): Some<OpRecord> => ({ phase: "backward", ...fields });

/** The ops of a small net: 8 ms a step. */
export const ops: readonly OpRecord[] = [
  op("features.conv1", "conv2d", 2, {
    inputs: [tensor(32, 3, 32, 32), tensor(16, 3, 3, 3), tensor(16)],
    outputs: [tensor(32, 16, 32, 32)],
    kernel: "conv2d.forward",
    flops: 28e6,
    bytes: 2.5e6,
    setup: { pipeline: 120, firstDispatch: 6 },
  }),
  op("features.relu1", "relu", 0.25, { inPlace: true, flops: 524288, setup: { pipeline: null, firstDispatch: null } }),
  op("fc", "linear", 0.5, {
    members: ["fc", "fc_bias"],
    inputs: [tensor(32, 256), tensor(10, 256)],
    outputs: [tensor(32, 10)],
  }),
  op("loss", "cross_entropy", 0.25, {
    inputs: [tensor(32, 10), { shape: [32], dtype: "i32" }],
    outputs: [tensor()],
    flops: null,
  }),
  op("loss/cross_entropy_grad", "cross_entropy_grad", 0.25, gradient()),
  op("fc/linear_input_grad", "linear_input_grad", 0.5, gradient()),
  op("fc_bias/bias_grad", "bias_grad", 0.25, gradient({ layer: "fc", dispatches: 2 })),
  op(
    "features.conv1/conv2d_weight_grad",
    "conv2d_weight_grad",
    3,
    gradient({ kernel: "conv2d.weight_grad", flops: 28e6 }),
  ),
  op("update", "adam", 1, { phase: "update", layer: "", kernel: "adam.f32" }),
];

function step(index: number, forward: number, gap: number | null, begin: number): StepRecord {
  return {
    points: { begin, propagated: begin + forward + 4, end: begin + forward + 5 },
    index,
    batchCost: forward + 7,
    readerCost: 0.5,
    stepTime: null,
    iterationGap: gap,
    forward,
    backward: 4,
    update: 1,
    loss: 2,
  };
}

/** Two blocks of five steps; one of them is far slower. */
export const blocks: readonly Block[] = [0, 1].map((round) => ({
  round,
  position: 0,
  samples: 160,
  wall: 54,
  steps: [0, 1, 2, 3, 4].map((i) => {
    const begin = 8.5 * i + (round === 1 && i > 2 ? 6 : 0);
    return step(3 + round * 5 + i, round === 1 && i === 2 ? 9 : 3, i === 0 ? null : 0.5, begin);
  }),
}));

/** A phase whose residual has no known cause. */
export function split(
  phase: string,
  times: Pick<PhaseSplit, "interval" | "ops" | "residual"> & Partial<PhaseSplit>,
): PhaseSplit {
  return { phase, mean: times.interval, max: times.interval, gaps: null, measured: null, cause: null, ...times };
}

export const profile: Profile = {
  steps: 5,
  firstStep: 1,
  host: [
    { name: "load dataset", calls: 10, total: 5, mean: 0.5, min: 0.25, max: 1 },
    { name: "let data", calls: 10, total: 2, mean: 0.2, min: 0.1, max: 0.5 },
    { name: "encode", calls: 10, total: 1, mean: 0.1, min: 0.05, max: 0.2 },
    { name: "submit", calls: 10, total: 1, mean: 0.1, min: 0.05, max: 0.2 },
    { name: "wait", calls: 10, total: 80, mean: 8, min: 7, max: 14 },
    { name: "monitor loss", calls: 2, total: 4, mean: 2, min: 1, max: 3 },
  ],
  phases: [
    split("forward", { interval: 3.1, ops: 3, residual: 0.1 }),
    split("backward", { interval: 4.05, ops: 4, residual: 0.05 }),
    split("update", { interval: 1, ops: 1, residual: 0 }),
  ],
  weightDecay: null,
  ranges: [
    { path: "features", track: "device", phase: "forward", entries: 5, calls: 10, total: 11.25, mean: 2.25 },
    { path: "features/stem", track: "device", phase: "forward", entries: 5, calls: 5, total: 10, mean: 2 },
    { path: "checkpoint", track: "host", phase: null, entries: 1, calls: 1, total: 3, mean: 3 },
  ],
  transfers: { hostToDevice: { count: 20, bytes: 4 * 2 ** 20 }, deviceToHost: { count: 2, bytes: 160 } },
  memory: ["features.conv1", "fc", "update"].map((id, i) => ({
    op: id,
    parameters: 2 ** 20,
    gradients: 2 ** 20,
    optimizer: 2 * 2 ** 20,
    activations: [4, 12, 0][i]! * 2 ** 20,
    workspace: [8, 0, 0][i]! * 2 ** 20,
    feed: 2 ** 19,
  })),
  cpu: [
    { kind: "core", name: "cpu0", running: 0.97, waiting: null },
    { kind: "thread", name: "deno 4711", running: 0.5, waiting: 0.02 },
  ],
  cost: { phases: 0.004, ops: 0.07, uncertainty: { phases: 0.002, ops: 0.01 } },
  trust: {
    defects: { ...NO_DEFECTS, zero: 1, overlapping: 2 },
    nsPerTick: { value: 1, uncertainty: 2e-6 },
    offsetUncertainty: 0.15,
    resolution: 40,
  },
};

/** A variant whose steps were profiled. */
export function profiled(name: string, fields: Some<VariantResult> = {}): VariantResult {
  const base = variant(name);
  return variant(name, {
    config: { ...base.config, optimizer: { kind: "adam" } },
    blocks: [...blocks],
    ops: [...ops],
    profile,
    metrics: { ...base.metrics, ips: metric(2963, "images/s") },
    memory: {
      peak: 18 * 2 ** 20,
      parameters: 2 ** 20,
      gradients: 2 ** 20,
      optimizer: 2 * 2 ** 20,
      activations: 12 * 2 ** 20,
      workspace: 8 * 2 ** 20,
      feed: 2 ** 19,
    },
    ...fields,
  });
}

/** A result of one profiled variant. */
export function profiledResult(fields: Some<VariantResult> = {}): Result {
  return result([profiled("baseline", fields)]);
}
