/**
 * Types of results. Generated from the schemas in this folder by: deno task types
 *
 * @module
 */

import type { z } from "zod";
import type { WorstKernel } from "./isa.ts";
import type { AttachResult } from "./attach_result.ts";

/** Settings of a scenario that applied because of the adapter. */
export interface Adapted {
  /** Keys of the scenario's `adapters` that applied: `software`, or a part of the adapter's name. */
  adapters: string[];
  /** Settings of the baseline that they changed. */
  changes: Change[];
  /** Names of the variants that they left out. */
  omitted: string[];
}

/** Adapter that the steps ran on. */
export interface AdapterRecord {
  name: string | null;
  vendor: string | null;
  backend: string | null;
  driver: string | null;
  /** UUID of the device, as 32 hexadecimal digits. Earlier results and lock files have none. */
  uuid: string | null;
  /** Address of the device on the PCI bus. */
  pci: string | null;
  /** True for a software adapter, whose kernels run on the CPU. */
  fallback: boolean | null;
  features: string[];
  limits: {
    [name: string]: number;
  };
}

/** Parts of the time in which a step averages gradients over ranks, in ms; see `record/all_reduce.ts`. */
export interface AllReduce {
  /** Copy of the gradients to the host. */
  copyOut: number;
  /** Time until the slowest rank has its gradients. */
  wait: number;
  /** Transfers that the step waits for. */
  network: number;
  /** Copy of the averages to the device. */
  copyIn: number;
  /** Transfers while the device works; not part of the sum. */
  hidden: number;
}

/** Result of autotuning. */
export interface AutotuneResult {
  ops: TunedOpResult[];
  /** Ops whose times came from the cache. */
  hits: number;
  spent: number;
  /** Time of the tuned ops in a step, with the default and with the chosen kernels. */
  before: number;
  after: number;
  clock: "device" | "host";
  /** Path of the file that caches the times. */
  cache: string;
  warnings: string[];
}

/** Consecutive steps of a variant: the unit of comparison. */
export interface Block {
  round: number;
  /** Position in the round. */
  position: number;
  /** Samples, or their tokens where throughput counts tokens. */
  samples: number;
  /** Wall time in ms. */
  wall: number;
  steps: StepRecord[];
  /** Number of the variant's set-up, from 0; missing in results of earlier versions, which had a single one. */
  setup?: number;
  /** Energy that the system's counters have counted meanwhile, in joules; missing without counters. */
  energy?: number;
  /** Work of all steps; missing unless they are those of a program with a device, and in results of earlier versions. */
  work?: Work;
  /** Runs of a command, in the order of the steps; missing unless its steps are whole runs. */
  runs?: ({
    /** Time from its start to its end, in ms. */
    wall: number;
    /** Processor time of its processes in user and kernel mode, in ms. */
    user: number | null;
    system: number | null;
    /** Peak memory of its largest process, in bytes. */
    memory: number | null;
    /** Exit status; 128 + the number of the signal that ended it. */
    status: number;
  })[];
  /** Parts of the time to the first result of a program; missing unless the block is a cold start. */
  start?: Start;
}

/** The bottleneck of a variant's step, read from the trace and measured by ablations. */
export interface Bottleneck {
  /** Reading of the step trace and the queues; null without device times. */
  byRules: {
    bound: StepBound;
    reason: string;
  } | null;
  /** Reading of the ablations; null if none were run. */
  byArms: {
    bound: StepBound;
    reason: string;
  } | null;
  /** Ablations: the same variant without a part of its step. */
  arms: ({
    name: "input only" | "no host waits" | "null kernels" | "synthetic input";
    /** Description of the removed part. */
    what: string;
    rounds: number;
    /** ms per step. */
    batchCost: number;
    /** Time per step of the whole step / of the ablation. */
    ratio: Estimate;
  })[];
  /** Bound of the device's own time: arithmetic, memory, or kernel launches. */
  device: {
    bound: "compute" | "launch" | "memory" | "mixed";
    /** Shares of the step's device time. */
    compute: number;
    memory: number;
    launch: number;
    reason: string;
  } | null;
}

export type Bound = "device" | "host" | "input" | "none" | "transfer";

/** A setting to change, as on the command line: `loader.numWorkers=2`. */
export interface Change {
  path: string;
  from: z.core.util.JSONType;
  to: z.core.util.JSONType;
}

/** Comparison of a variant with the baseline, paired by round; see docs/statistics.md. */
export interface Comparison {
  /** Rounds in which both completed a block. */
  pairs: number;
  /** Set-ups that these rounds ran with. */
  setups: number;
  /** Standard deviation of the log of the speed-up, by level. */
  spread: {
    /** Between set-ups; where each has one round, of both levels together. Null for a single set-up. */
    setups: number | null;
    /** Between the rounds of a set-up; null where each has one round. */
    rounds: number | null;
  };
  /** Time per sample of the baseline / of the variant: winsorised mean over rounds, or over set-ups. */
  speedup: Estimate;
  /** Confidence level of the interval: 0.95. */
  level: number;
  /** Level that the interval reaches with this number of rounds; null without an interval. */
  reached: number | null;
  /** Method that computed the interval. */
  method: string;
  /** Geometric mean over rounds, in which a burst has its full weight; null where there are too few rounds. */
  companion: {
    ratio: Estimate;
    method: string;
    /** True if it lies outside the interval of `speedup`. */
    disagrees: boolean;
  } | null;
  /** p of the paired test; null without pairs. */
  p: number | null;
  /** p after Holm's correction over all compared variants. */
  adjustedP: number | null;
  /** Smallest p that this number of rounds or set-ups can reach; null where the test is model-based. */
  smallestP: number | null;
  /** The larger of `minEffect` and the noise floor: a speed-up between 1 / (1 + band) and 1 + band counts as the same speed. */
  band: number;
  /** Reason for the verdict. */
  reason: string;
}

/** CPU use of a core or thread over the profiled steps, from the operating system. */
export interface CpuUse {
  kind: "core" | "thread";
  /** `cpu0`, or the thread's name and ID. */
  name: string;
  /** Fraction of time running, from 0 to 1. */
  running: number;
  /** Fraction of time ready to run but without a core; null if the system does not report it. */
  waiting: number | null;
}

/** Number of defective timestamps by kind. */
export interface Defects {
  missing: number;
  /** The device's clock wrapped around or was reset during the pass. */
  reset: number;
  /** Later than the host saw the device done. */
  outside: number;
  stale: number;
  zero: number;
  negative: number;
  overlapping: number;
  /** Ops shorter than the clock's resolution. */
  quantised: number;
}

/** Effect of a setting on the speed, or the interaction of several settings. */
export interface Effect {
  /** One setting for a main effect, several for an interaction. */
  factors: ({
    setting: string;
    from: string;
    to: string;
  })[];
  /** Factor on the speed. */
  ratio: Estimate;
  p: number | null;
  adjustedP: number | null;
}

/** Counters of energy during the run. */
export interface Energy {
  /** Names of the counters that were summed: processor packages, memory, GPUs. */
  sources: string[];
  /** Power before the run, while nothing of it was running, in watts; null without counters. */
  idle: number | null;
  /** Reason why counters are missing: all of them, or some beside the sources; null if none are. */
  reason: string | null;
}

/** Environment of a run. Fields are null if unknown. */
export interface Environment {
  /** Version of Tacho. */
  tacho: string;
  deno: string;
  /** Version of the JavaScript engine. */
  v8: string;
  os: string | null;
  cpu: string | null;
  cores: number | null;
  /** Memory of the machine in bytes. */
  memory: number | null;
  /** Adapter of the run; null if no device was opened. */
  adapter: AdapterRecord | null;
  /** Git commit of the working directory. */
  git: string | null;
  /** True if files have changed since that commit. */
  gitDirty: boolean | null;
  /** SHA-256 of the deno.lock that pins the script's packages; null without one. */
  lockHash: string | null;
  /** Environment variables that affect what runs or how fast. */
  variables: {
    [name: string]: string;
  };
  /**
   * SHA-256 of the files that the run read and versions of the packages that prepared its data, by purpose and name, such
   * as `data text.txt`. Missing in earlier results and in those of programs.
   */
  inputs?: {
    [name: string]: string;
  };
  /** True for a run in the sandbox, whose figures are those that the script's process reported. */
  sandbox?: true;
}

/** An estimate with its confidence interval; `low` and `high` are null with too few rounds. */
export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
}

/** Loss and accuracy on held-out data, measured between the measured steps. */
export interface Evaluation {
  split: string;
  /** Steps trained before the evaluation. */
  step: number;
  samples: number;
  loss: "-Infinity" | "Infinity" | "NaN" | number | null;
  /** From 0 to 1; null for a loss without classes. */
  accuracy: number | null;
  /** Samples that failed and were replaced. */
  skipped: number;
}

/**
 * Counts of a step that do not depend on time or load: the same code, settings and class of adapter give the same counts.
 * Each is null where it is unknown.
 */
export interface ExactCounts {
  dispatches: number | null;
  /** Distinct compute pipelines that the step dispatches. */
  pipelines: number | null;
  /** Distinct buffers that its dispatches bind. */
  buffers: number | null;
  /** Floating-point operations; a multiply-add counts as two. */
  flops: number | null;
  /** Minimum number of bytes that its ops read and write. */
  bytes: number | null;
  /**
   * Peak of device memory in bytes: as planned, or of a program's buffers and textures up to the end of its sixth step, with
   * those that it leaves to the garbage collector. Null in results of earlier versions.
   */
  peakBytes: number | null;
  /** Kernels by hash, sorted; null if unknown. */
  kernels: ExactKernel[] | null;
  /** Submissions per step over the measured blocks. Submissions that only split long sinks are not counted. */
  submits: number | null;
  /** Waits for the device per step, counted like `submits`. */
  waits: number | null;
  readbacks: number | null;
  readbackBytes: number | null;
  uploads: number | null;
  uploadBytes: number | null;
  /** Copies between buffers on the device, readbacks included. */
  copies: number | null;
  copyBytes: number | null;
  /** Buffers created per step. */
  newBuffers: number | null;
}

/** A kernel of a step. */
export interface ExactKernel {
  /** Family and variant. */
  name: string;
  /** First 12 hexadecimal digits of the SHA-256 of its WGSL and bindings. */
  hash: string;
  dispatches: number;
}

/** Advice on a variant. */
export interface Finding {
  /** Slug of the rule, such as `more-workers`. */
  kind: string;
  severity: "info" | "warning";
  message: string;
  /** Figures that support it, with their place in the report: `queues`, `ops`, `op:ID`, `roofline`, ... */
  evidence: ({
    label: string;
    value: string;
    where: string;
  })[];
  /** Changes that apply the advice; empty if the script itself must change. */
  changes: Change[];
  /** Predicted speed / current speed after the changes, and the reasoning. */
  predicted: {
    gain: number;
    reasoning: string;
  } | null;
}

/** The variants of a sweep that no other one dominates; see docs/statistics.md. */
export interface Front {
  /** Objectives that the variants are compared by. */
  objectives: Objective[];
  variants: ({
    name: string;
    /** `front`: no other variant can dominate it; `open`: the intervals do not decide. */
    status: "dominated" | "front" | "open";
    /** Variant that is better on one objective and at least as good on the others; null unless dominated. */
    dominatedBy: string | null;
    /** Objectives on which no variant is better, as far as the intervals tell. */
    best: Objective[];
  })[];
}

/** Time of a kind of host work over steps: ms. */
export interface HostWork {
  /** `load dataset`, `let data` and its parts such as `let data: target`, `encode`, `submit`, `wait`, `monitor loss`, `yield`, or the name of a range. */
  name: string;
  calls: number;
  total: number;
  mean: number;
  min: number;
  max: number;
}

/** The worst figure of a variant's kernels on several GPUs, by metric; null if it is unknown. */
export interface IsaWorst {
  readonly spills: WorstKernel | null;
  readonly waves: WorstKernel | null;
  readonly instructions: WorstKernel | null;
  readonly cost: WorstKernel | null;
}

/** A line of `--json-lines`. */
export type JsonLine = ProgressEvent | {
  type: "error";
  message: string;
  exitStatus: number;
} | {
  type: "failure";
  arm: string;
  message: string;
  exitStatus: number;
} | {
  type: "interrupted";
} | {
  type: "prediction";
  name: string;
  finding: string;
  /** Predicted speed relative to the current settings. */
  gain: number;
  reasoning: string;
} | {
  type: "result";
  result: Result;
} | {
  type: "round";
  round: number;
  /** Maximum number of rounds. */
  planned: number;
  /** Blocks in the order in which they ran, with their wall times in ms. */
  blocks: ({
    arm: string;
    samples: number;
    wall: number;
  })[];
  /** Speed relative to the baseline over all rounds so far, with its 95 % interval. */
  intervals: ({
    arm: string;
    speedup: Estimate;
  })[];
} | {
  type: "rung";
  rung: Rung;
} | {
  type: "start";
  scenario: string;
  seed: number;
  baseline: string;
  variants: string[];
} | {
  type: "stream";
  version: 1;
} | {
  type: "warning";
  /** Kind of the warning if it is part of the result, too; otherwise null. */
  kind: string | null;
  message: string;
};

/** Device time of one dispatch of an op in a step. */
export interface KernelTimes {
  /** Profiled steps in which it was timed. With gradient accumulation, a call is the op's runs over all micro-batches. */
  calls: number;
  /** Over all calls. */
  total: number | null;
  /** Median call, which one stalled call does not move. */
  median: number | null;
  /** Mean call. */
  mean: number | null;
  min: number | null;
  max: number | null;
  /** Family and variant of the kernel. */
  name: string;
  /**
   * Time in each round of steps that all profiled variants take turns in, for comparisons by op; null where a time is
   * unusable. Missing in results of earlier versions and without such rounds.
   */
  samples?: (number | null)[];
}

/** Result of `--tune`: settings changed one at a time, each measured against the rung below. */
export interface Ladder {
  variant: string;
  start: {
    ips: Metric | null;
    /** ms */
    iterationGap: number | null;
    /** Fraction of steps that found the host queue empty. */
    emptyQueue: number | null;
    bound: "device" | "host" | "input" | "none" | "transfer" | null;
  };
  rungs: Rung[];
  /** Speed-up of the last rung over the start. */
  total: Estimate | null;
  /** Median over rungs of |predicted - measured| / measured; null without a measured rung. */
  predictionError: number | null;
  stoppedBy: "interrupted" | "no advice" | "time";
  /** Patch to the script with the kept settings; null if they cannot be written as one. */
  patch: string | null;
}

/**
 * A loss in JSON. Training that diverges gives NaN or an infinity, which JSON would write as null, and null means "not
 * measured" in a result.
 */
export type Loss = "-Infinity" | "Infinity" | "NaN" | number;

/** Course of the loss scale over the steps of a variant's training, warm-up included. */
export interface LossScale {
  /** Steps from which on the scale differs from that of the step before. A resumed run starts with its first own step. */
  changes: ({
    step: number;
    scale: Loss;
  })[];
  /** Steps whose update was skipped because a gradient overflowed. */
  skipped: number[];
}

/** Device memory in bytes: the planned peak, and its parts. */
export interface Memory {
  peak: number;
  parameters: number;
  gradients: number;
  optimizer: number;
  activations: number;
  workspace: number;
  feed: number;
}

/** Device memory while an op runs: bytes by class. */
export interface MemoryPoint {
  /** ID of the op. */
  op: string;
  parameters: number;
  gradients: number;
  optimizer: number;
  activations: number;
  workspace: number;
  feed: number;
}

/** A figure in the matrix. `min` and `max` are the extremes over blocks, or null for a single value. */
export interface Metric {
  value: number;
  min: number | null;
  max: number | null;
  unit: Unit;
  /** True for the time of a whole sink divided by its steps. */
  amortised: boolean;
}

/** Metrics of a variant, by the names in reports. Null means not measured. */
export interface Metrics {
  /** Sum of phase times / wall time. */
  deviceBusy: Metric | null;
  /** Time per step that Deno sleeps after a wait for the device is over. */
  runtimeWait: Metric | null;
  /** Time to prepare the variant: plan, pipelines, buffers. */
  setup: Metric | null;
  /** Time of the first step, which compiles the shaders. */
  firstStep: Metric | null;
  /** Extra time of a step with phase timestamps, relative to one without. */
  profilingCost: Metric | null;
  /** Accuracy on the test split at the last evaluation. */
  accuracy: Metric | null;
  forward: Metric | null;
  backward: Metric | null;
  update: Metric | null;
  /** Throughput: samples of a step / batch cost, both over the mean of the blocks; extremes are those of single blocks. */
  ips: Metric | null;
  /** Times as fast as the baseline, as in the comparison. */
  speedup: {
    value: number;
    low: number | null;
    high: number | null;
    unit: "ratio";
  } | null;
  /** Time from the start of one step to the start of the next. */
  batchCost: Metric | null;
  /** Part of the batch cost that the training loop waited for a batch. */
  readerCost: Metric | null;
  /** Step time by the variant's `timing`: around the submit, with a wait, or from the first pass to the last. */
  stepTime: Metric | null;
  /** Idle time of the device between the phases of one step and those of the next. */
  iterationGap: Metric | null;
  /** Time in which a step waits for the average of its gradients over ranks; missing on one rank. */
  allReduce?: Metric;
  /** Further phases by name; omitted if there are none. */
  phases?: {
    [name: string]: Metric | null;
  } | undefined;
}

/** Network between the ranks, measured at the start. */
export interface Network {
  /** Time of an all-reduce of a few bytes, in ms. */
  latency: number;
  /** Bytes of gradients per ms that a large all-reduce adds. */
  bandwidth: number;
  /** Time that each further all-reduce adds if several are started together, in ms; missing in earlier results. */
  overhead?: number | undefined;
  /** Bytes of f32 gradients that ranks average in f16 per ms, with the conversions; missing in earlier results. */
  compressed?: number | undefined;
}

/** A shard of a merged run. Speeds of different shards are not compared. */
export interface Node {
  /** Number of the shard, from 1. */
  shard: number;
  of: number;
  /** Name of the machine; null if unknown. */
  host: string | null;
  adapter: string | null;
  driver: string | null;
  /** Complete rounds. */
  rounds: number;
  /** Standard deviation of the log of the baseline's time over rounds; null with fewer than two. */
  baselineSpread: number | null;
  /** Noise floor; null without a control arm. */
  noiseFloor: number | null;
  /** Throughput of each variant that the shard ran, in its own unit per second; null if not measured. */
  speeds: ({
    variant: string;
    ips: number | null;
  })[];
}

/** Objective of a sweep: speed is to be high, memory and loss low. */
export type Objective = "loss" | "memory" | "speed";

/**
 * Device time of an op in a phase, from profiled steps, over all micro-batches of a step. A fused kernel is one record that
 * lists its members.
 */
export interface OpRecord {
  /** Median as a fraction of the sum of all ops' medians, from 0 to 1. */
  share: number | null;
  /** FLOPs of a step; a multiply-add counts as two. */
  flops: number | null;
  /** Minimum bytes read and written in a step. */
  bytes: number | null;
  /** Dispatches of a step. */
  dispatches: number;
  /** Each dispatch, in the order of a step. */
  kernels: KernelTimes[];
  /** Time in ms to create the op's new pipelines, and of its first dispatch alone; null if not measured. */
  setup: {
    pipeline: number | null;
    firstDispatch: number | null;
  };
  /** Profiled steps in which it was timed. With gradient accumulation, a call is the op's runs over all micro-batches. */
  calls: number;
  /** Over all calls. */
  total: number | null;
  /** Median call, which one stalled call does not move. */
  median: number | null;
  /** Mean call. */
  mean: number | null;
  min: number | null;
  max: number | null;
  /** Stable path of the node, such as `layer1.0.conv1` or `layer1.0.conv1/conv2d_weight_grad`. */
  id: string;
  /** Name in tables: the layer, or the ID of a gradient. */
  name: string;
  /** Op type, such as `conv2d`. */
  type: string;
  /** Rule by which mixed precision chooses the data type. */
  precision: "compute" | "fixed" | "follow" | "loss" | "normalize" | "wide";
  /** Kinds of work that it does. */
  roles: ("attention" | "conversion" | "elementwise" | "product" | "random" | "relayout")[];
  /** Names in other tools, by dialect, that differ from the type in Pascal case. */
  aliases: {
    [name: string]: string;
  };
  /** Path of the layer that the op or gradient belongs to. */
  layer: string;
  phase: string;
  /** Family and variant of the chosen kernel. */
  kernel: string;
  members: string[];
  inputs: ({
    shape: number[];
    dtype: string;
  })[];
  outputs: ({
    shape: number[];
    dtype: string;
  })[];
  /** Logical shapes of the inputs, then the outputs. */
  shapes: number[][];
  /** Data type of the first output, or of the updated tensor. */
  dtype: string;
  /** True if the output overwrites an input. */
  inPlace: boolean;
  /** True for activations that the backward pass computes again; absent on other ops. */
  recomputed?: true;
}

/** Blocks outside Tukey's fences: `mild` beyond 1.5, `severe` beyond 3 interquartile ranges. No block is excluded. */
export interface Outliers {
  mild: number;
  severe: number;
  blocks: number;
}

/** Highest measured throughput of one kind of work, and the conditions of its measurement. */
export interface Peak {
  value: number;
  /** A multiply-add counts as two operations; a copied byte as one read and one written. */
  unit: "FLOP/s" | "bytes/s";
  /** Shape of the fastest kernel. */
  kernel: string;
  /** Date of the measurement, ISO 8601. */
  date: string;
  /** CPU time of other processes during the measurement, as a fraction of all cores; null if unknown. */
  load: number | null;
  /** Median time of the kernel's runs relative to the fastest, minus 1; null if unknown. */
  spread: number | null;
}

/** Peaks measured on the adapter itself. */
export interface Peaks {
  clock: "device" | "host";
  /** Multiply-adds in registers. */
  f32: Peak;
  /** Peak in f16; null if the adapter does not support it. */
  f16: Peak | null;
  /** Copies between buffers larger than most caches. */
  copy: Peak;
}

/** Breakdown of a phase's interval on the device; medians over profiled steps in ms, which one stalled step does not move. */
export interface PhaseSplit {
  phase: string;
  /** From the start of the first dispatch to the end of the last. */
  interval: number;
  /** Sum of the op times. */
  ops: number;
  /** interval - ops: time between dispatches. */
  residual: number;
  /** Mean interval, and the longest; null if not recorded. */
  mean: number | null;
  max: number | null;
  /**
   * Gaps of a step between dispatches, the usual length of a step's longest gap, and the longest of all steps with the ID of
   * the op after it. Null if not recorded.
   */
  gaps: {
    count: number;
    usual: number | null;
    longest: {
      ms: number;
      before: string;
    } | null;
  } | null;
  /** Median of the phase in the measured steps, which run it as one pass; null if not measured. */
  measured: number | null;
  /** Cause of most of a residual above 5 %; see `analysis/residual_cause.ts`. */
  cause: "launches" | "stall" | "submits" | "timestamps" | null;
}

/** The input pipeline of a variant over its measured steps. Times are in ms. */
export interface Pipeline {
  /** 0: the main thread makes each batch on demand. */
  numWorkers: number;
  /** Measurements behind `numWorkers: "auto"`; null if the number was given. */
  choice: {
    measured: ({
      numWorkers: number;
      samplesPerSecond: number;
    })[];
    chosen: number;
  } | null;
  sharedMemory: boolean;
  batches: number;
  samples: number;
  /** Samples that failed and were replaced, warm-up included. */
  skipped: number;
  /** Reasons of the first failures. */
  skipReasons: string[];
  stages: PipelineStage[];
  threads: PipelineThread[];
  /** Batches ready in the loader, and batches staged on the device; null without such a queue. */
  queues: {
    host: PipelineQueue | null;
    device: PipelineQueue | null;
  };
  readerCost: Spread;
  batchCost: Spread;
  /** Samples per second over all steps, and over the slowest and the fastest ten consecutive steps. */
  ips: Spread;
  bound: PipelineBound;
  /** Samples whose file has a problem that leaves them whole, warm-up included, and the first warning; omitted without any. */
  warnings?: {
    samples: number;
    first: string;
  } | undefined;
  /** Cache of the samples, at the end of the measured steps; omitted without one. */
  cache?: {
    in: "file" | "memory";
    /** Samples in it, and their bytes. */
    samples: number;
    bytes: number;
    /** Limit in bytes; `full` once a sample did not fit. */
    limit: number;
    full: boolean;
    /** Samples of the measured steps that were in it, and that were made. */
    hits: number;
    misses: number;
    /** Time to fill it before the first batch; null if it was not. */
    fillMs: number | null;
  } | undefined;
}

/** Bottleneck of the input pipeline. */
export interface PipelineBound {
  /** Slowest part: the threads that make batches, the copy to the device, or the steps that consume them. */
  where: "consumer" | "copy" | "making";
  /** Longest stage of making a batch. */
  stage: string | null;
  /** Fraction of the batch cost that the training loop waited for data. */
  readerShare: number | null;
  /**
   * True if training waits for the pipeline more often than the reverse or, without workers, if making batches takes longer
   * than the steps. Null if nothing is trained.
   */
  boundsTraining: boolean | null;
}

/** Depth of a queue, sampled at every measured step. */
export interface PipelineQueue {
  /** Maximum number of batches; null if unknown. */
  capacity: number | null;
  depth: Spread;
  /** Fraction of steps that found it empty, or full. */
  empty: number;
  full: number | null;
}

/** A stage of the input pipeline. Times are null if not measured. */
export interface PipelineStage {
  name: string;
  /** `copy` uploads to the device; all others except `handOver` run in sequence on the thread that makes a batch. */
  kind: "cache" | "collate" | "copy" | "decode" | "handOver" | "read" | "transform";
  perSample: number | null;
  perBatch: number | null;
  /** Fraction of the time spent making batches; null for stages outside it. */
  share: number | null;
  /** Time per sample by thread; empty for stages outside a thread. `worker` is null for the main thread. */
  threads: ({
    worker: number | null;
    perSample: number | null;
  })[];
}

/** A thread that makes batches. */
export interface PipelineThread {
  /** Index of the worker; null for the main thread. */
  worker: number | null;
  batches: number;
  /** Time to make a batch: ms. */
  make: Spread;
  /** Samples whose stages were timed. */
  timed: number;
  /** Fraction of its time that it waited for a free slot; null without slots. */
  waiting: number | null;
  /** Finished batches not yet taken, at every measured step; omitted without workers. */
  ready?: number[] | undefined;
}

/** Position of work on the adapter's roofline. */
export interface Placement {
  /** FLOP per byte; null if no bytes move. */
  intensity: number | null;
  /** The peak that limits it. */
  bound: "compute" | "memory";
  /** Attainable FLOP/s at this intensity; null without arithmetic. */
  attainable: number | null;
  /** Minimum time at the peaks: ms. */
  attainableTime: number;
  /** Attainable / measured time: 1 is the roof. Caches that avoid memory traffic can raise it above 1. */
  share: number | null;
}

/** Schedule of the blocks, and observations of the machine during the run. */
export interface Procedure {
  /** Requested and completed rounds. */
  planned: number;
  rounds: number;
  stoppedBy: "failed" | "interrupted" | "precision" | "rounds" | "time";
  /** Requested half width of the interval; null if the number of rounds is fixed. */
  precision: number | null;
  /** Time limit of the measurement in seconds; null for none. */
  maxTime: number | null;
  /** Smallest speed-up - 1 to report as a difference. */
  minEffect: number;
  /** Set-ups of the variants, which are all set up anew at the same time. */
  setups: {
    /** Set-ups so far, the first included. */
    count: number;
    /** Time of those after the first, in ms; null in results of earlier versions. */
    time: number | null;
    /** The same as a part of the run's time up to the last round. */
    share: number | null;
    /** Present if each set-up is a fresh process. */
    processes?: true;
  };
  /** Order of the arms in each round; the control arm has the name in `secondArm`. */
  order: string[][];
  /** Control arm: the baseline's second copy, which measures the noise floor. Null if it was turned off. */
  secondArm: {
    name: string;
    blocks: Block[];
    comparison: Comparison | null;
  } | null;
  /** Conditions that may distort the measurement: load, governor, software adapter, battery, throttling. */
  warnings: ({
    kind: string;
    message: string;
  })[];
  /** Time of a fixed kernel between rounds: ms. */
  probe: ({
    round: number;
    time: number;
  })[];
  /** Change of the probe over the run, relative to its mean; null with too few probes. */
  probeTrend: number | null;
  /** Warm-up steps of each arm; `steady` is true if step times became steady. */
  warmUp: ({
    arm: string;
    steps: number;
    steady: boolean;
  })[];
  /** Number of times the run was resumed after an interruption. */
  resumed: number;
  /** Statistic of a block's steps that variants are compared by; missing for the mean. */
  statistic?: "mean" | "p50" | "p90" | "p95" | "p99";
  /** Counters of energy; missing in results of earlier versions. */
  energy?: Energy;
}

/** Profile of a variant, from profiled steps and host clocks. */
export interface Profile {
  /** Number of recorded steps. */
  steps: number;
  /** Index of the first recorded step in the variant's profiled run. */
  firstStep: number;
  /** Host work in the measured blocks. */
  host: HostWork[];
  phases: PhaseSplit[];
  /**
   * Device time of weight decay alone, in a separate dispatch after each profiled step; the update includes it. Null
   * without weight decay.
   */
  weightDecay: {
    /** Profiled steps in which it was timed. With gradient accumulation, a call is the op's runs over all micro-batches. */
    calls: number;
    /** Over all calls. */
    total: number | null;
    /** Median call, which one stalled call does not move. */
    median: number | null;
    /** Mean call. */
    mean: number | null;
    min: number | null;
    max: number | null;
  } | null;
  ranges: RangeRecord[];
  /** Transfers in the measured blocks. */
  transfers: {
    hostToDevice: {
      count: number;
      bytes: number;
    };
    deviceToHost: {
      count: number;
      bytes: number;
    };
  };
  /** Memory in use while each op of a step runs, in order. */
  memory: MemoryPoint[];
  cpu: CpuUse[];
  /**
   * Cost of profiling: extra time of a step with phase timestamps, and with a timed pass per op, as a fraction of the
   * batch cost. The extra time comes from alternating steps on one batch. Null if not measured.
   */
  cost: {
    phases: number | null;
    ops: number | null;
    uncertainty: {
      phases: number;
      ops: number;
    } | null;
  };
  trust: {
    defects: Defects;
    /** Host nanoseconds per device tick, with uncertainty; null without calibration. */
    nsPerTick: {
      value: number;
      uncertainty: number;
    } | null;
    /** Uncertainty of device times on the host's axis: ms. */
    offsetUncertainty: number | null;
    /** Smallest observed increment of the device clock: ns. */
    resolution: number | null;
  };
}

/** A running stage, between steps; `--json-lines` leaves out some of a rapid sequence. */
export interface ProgressEvent {
  type: "progress";
  /** Variant that the stage belongs to; null for a stage that all variants share. */
  variant: string | null;
  stage: ProgressStage;
  /** Completed steps of the stage, or kernels of `compile` and `peaks`; 0 for a stage without steps. */
  step: number;
  /** Total number of these; 0 for a stage without steps. */
  steps: number;
  /** Completed fraction of the whole run, from 0 to 1; null while unknown. */
  fraction: number | null;
  /** A few words about the stage, such as `round 2/3`. */
  message?: string;
  /** Preliminary result of the variant; absent before its first measured block. */
  soFar?: SoFar;
}

export type ProgressStage =
  | "compile"
  | "data"
  | "evaluate"
  | "measure"
  | "peaks"
  | "prepare"
  | "profile"
  | "report"
  | "seeds"
  | "target"
  | "tune"
  | "warmup";

/** Agreement of the variant's losses with the baseline's, from the same seed. */
export interface Quality {
  /** Index of the last compared step. */
  step: number;
  loss: Loss;
  baselineLoss: Loss;
  /** Largest difference between smoothed losses, relative to the baseline's. */
  difference: Loss;
  /** Largest accepted `difference`; null if the variant changes what is trained. */
  tolerance: number | null;
  /** Largest relative distance at one of the first three steps, and its limit; null where they have no limit. */
  first: {
    difference: Loss;
    tolerance: number;
  } | null;
  kept: boolean;
}

/** A user's named range on the host or the device. */
export interface RangeRecord {
  /** Names of nested ranges, outermost first, joined by `/`. */
  path: string;
  track: "device" | "host";
  /** Phase of its ops on the device; null on the host, and for both phases together in results of earlier versions. */
  phase: string | null;
  /** Times that it was entered; on the device, in all profiled steps. */
  entries: number;
  /** Calls of the ops in it; on the host, its entries. */
  calls: number;
  /** ms over all entries. */
  total: number;
  /** ms of an entry. */
  mean: number;
}

/** Rank of a distributed training. */
export interface Rank {
  steps: number;
  batchCost: number;
  readerCost: number;
  iterationGap: number | null;
  forward: number | null;
  backward: number | null;
  update: number | null;
  allReduce: AllReduce;
  rank: number;
  host: string;
  adapter: string;
  /** Address on the PCI bus or UUID of the device; null if unknown. */
  device: string | null;
}

/** Steps of a rank in a block: means in ms. */
export interface RankBlock {
  steps: number;
  batchCost: number;
  readerCost: number;
  iterationGap: number | null;
  forward: number | null;
  backward: number | null;
  update: number | null;
  allReduce: AllReduce;
}

/** Distributed training of a variant. */
export interface Ranks {
  size: number;
  /** Speed relative to a rank alone with the same settings, divided by the number of ranks; null without such a variant. */
  efficiency: number | null;
  /** Part of the transfers that the device does not hide; null without a transfer. */
  notHidden: number | null;
  /** Longest work of a rank / the mean of all, minus 1. */
  imbalance: number;
  /** Rank that the others wait for, and what it takes longer for; null if the ranks are alike. */
  straggler: {
    rank: number;
    cause: "copies" | "data" | "device" | "host";
    /** Time by which it exceeds the median of the others, in ms per step. */
    excess: number;
  } | null;
  network: Network | null;
  /** Sorted in the order of the backward pass. */
  buckets: ({
    /** Bytes that each rank contributes. */
    bytes: number;
    /** Number of parameters. */
    parameters: number;
    calls: number;
    /** Transfer time from the moment when all ranks are ready: ms over all calls. */
    total: number;
  })[];
  ranks: Rank[];
}

/** Result of a run. */
export interface Result {
  schemaVersion: number;
  environment: Environment;
  scenario: {
    name: string;
    /** Path of the script; null if the scenario did not come from a file. */
    file: string | null;
    sha256: string | null;
    seed: number;
    /** Parameters of the scenario before variants change them. */
    params: {
      [name: string]: z.core.util.JSONType;
    };
    /** Effect of the scenario's settings by adapter; null for a scenario without any. */
    adapted: Adapted | null;
  };
  /** Name of the variant that the others are compared with. */
  baseline: string;
  variants: VariantResult[];
  /** Noise floor: difference between the two copies of the baseline beyond the noise of their blocks; null if not measured. */
  noiseFloor: number | null;
  /** Schedule of the blocks; null if none ran. */
  procedure: Procedure | null;
  /** Main effects and interactions of a sweep's settings; empty without all combinations. */
  effects: Effect[];
  /** Best variants of a sweep; null without a sweep, or where fewer than two variants can be compared. */
  front: Front | null;
  /** Result of `--tune`; null without it. */
  ladder: Ladder | null;
  /** Peaks of the adapter and each step relative to them; null if not measured. */
  roofline: Roofline | null;
  /** Nodes of a merged run; missing in others. */
  nodes?: Node[];
}

/** Peaks of the adapter, and each variant's step relative to them. */
export interface Roofline {
  peaks: Peaks;
  steps: ({
    /** Like `share`, with each op at its own roof, since ops that run in sequence cannot overlap the two peaks. */
    opShare: number | null;
    /** FLOP per byte; null if no bytes move. */
    intensity: number | null;
    /** The peak that limits it. */
    bound: "compute" | "memory";
    /** Attainable FLOP/s at this intensity; null without arithmetic. */
    attainable: number | null;
    /** Minimum time at the peaks: ms. */
    attainableTime: number;
    /** Attainable / measured time: 1 is the roof. Caches that avoid memory traffic can raise it above 1. */
    share: number | null;
    variant: string;
    /** Device time per step: ms. */
    time: number;
  })[];
}

/** A piece of advice that was tried. */
export interface Rung {
  name: string;
  /** Slug of the finding that proposed the change. */
  finding: string;
  changes: Change[];
  /** Prediction, stored before the rung ran. */
  predicted: {
    gain: number;
    reasoning: string;
  };
  /** Comparison with the rung below; null if the rung did not run. */
  measured: Comparison | null;
  before: {
    ips: Metric | null;
    /** ms */
    iterationGap: number | null;
    /** Fraction of steps that found the host queue empty. */
    emptyQueue: number | null;
    bound: "device" | "host" | "input" | "none" | "transfer" | null;
  };
  after: {
    ips: Metric | null;
    /** ms */
    iterationGap: number | null;
    /** Fraction of steps that found the host queue empty. */
    emptyQueue: number | null;
    bound: "device" | "host" | "input" | "none" | "transfer" | null;
  } | null;
  kept: boolean;
  reason: string;
}

/** Losses and accuracies of trainings with several seeds; see docs/statistics.md. */
export interface Seeds {
  /** Steps of each training, and those at its end over which its loss is averaged. */
  steps: number;
  window: number;
  runs: ({
    seed: number;
    loss: Loss;
    /** Accuracy on the test split after the last step; null without `evaluate`. */
    accuracy: number | null;
  })[];
  /** Means over the seeds. Differences are from the baseline's trainings, paired by seed; null for the baseline. */
  loss: Estimate | null;
  lossDifference: Estimate | null;
  accuracy: Estimate | null;
  accuracyDifference: Estimate | null;
}

/** Preliminary result of a variant. */
export interface SoFar {
  /** Samples per second. */
  ips: number;
  /** Unit of `ips`, such as `images/s`. */
  unit: string;
  /** Speed relative to the baseline; null for the baseline, and before that is measured. */
  ratio: number | null;
  /** Bound of a step; null while unknown. */
  bound: string | null;
}

/** Mean, minimum and maximum. */
export interface Spread {
  avg: number;
  min: number;
  max: number;
}

/** Time from the start of a program's process to its first result, by what the program does: ms. */
export interface Start {
  /** Until it has a device: the process, its modules, the adapter. */
  loading: number;
  /** Creating shader modules and pipelines. */
  compilation: number;
  upload: number;
  /** Everything else up to the first result. */
  firstRun: number;
}

/** The part of a step that bounds it; `none` if no part stands out. */
export type StepBound = "device" | "host" | "input" | "none" | "transfer";

/** A measured step. Times are in ms. */
export interface StepRecord {
  loss: "-Infinity" | "Infinity" | "NaN" | number | null;
  forward: number | null;
  backward: number | null;
  update: number | null;
  /** Index of the step in the variant's training, warm-up included. */
  index: number;
  batchCost: number | null;
  readerCost: number | null;
  /** Step time by the variant's `timing`; null without one. */
  stepTime: number | null;
  iterationGap: number | null;
  /** Average of the gradients over ranks; missing on one rank. */
  allReduce?: AllReduce;
  /** Further phases by name; omitted if there are none. */
  phases?: {
    [name: string]: number | null;
  } | undefined;
  /**
   * On the device's clock, in ms since the first step of the block began: start of the step, end of its propagations, and its
   * end. Missing if one of them was not timed, and in results of earlier versions.
   */
  points?: {
    begin: number;
    propagated: number;
    end: number;
  };
}

export interface StepTimes {
  median: number;
  p95: number;
  p99: number;
  max: number;
  /** Number of timed steps. */
  steps: number;
  /** Missing unless variants are compared by a percentile. */
  percentiles?: ({
    percent: number;
    value: number;
    low: number | null;
    high: number | null;
  })[];
}

/** Time that a variant takes to reach a loss or an accuracy, by seed. */
export interface Target {
  metric: "accuracy" | "loss";
  threshold: number;
  seeds: ({
    seed: number;
    /** Steps until the target was reached; null if it was not. */
    steps: number | null;
    /** ms of training without evaluation; null if the target was not reached. */
    wall: number | null;
  })[];
  /** ms, over the seeds that reached the target. */
  time: Estimate | null;
}

/** The recorded steps of a variant. */
export interface Timeline {
  variant: string;
  spans: ({
    track: string;
    name: string;
    start: number;
    end: number;
    step?: number;
    args?: {
      [name: string]: number | string;
    };
  })[];
  counters: ({
    counter: string;
    time: number;
    value: number;
  })[];
  flows: ({
    name: string;
    from: {
      track: string;
      time: number;
    };
    to: {
      track: string;
      time: number;
    };
  })[];
  steps?: {
    traced: number;
    profiled: number;
  };
  leftOut?: number;
  sampling?: {
    interval: number;
    share: number;
  };
}

/** Timestamps of the passes of the measured blocks. */
export interface Timestamps {
  /** Timed passes. */
  passes: number;
  /** Those among them with usable times. */
  usable: number;
  defects: Defects;
}

/** An op with given shapes, and the times of its candidate kernels. */
export interface TunedOpResult {
  /** Op type. */
  op: string;
  /** IDs of the nodes of a step with this op and these shapes. */
  nodes: string[];
  /** Tensor types, such as `f32[32, 16, 32, 32]`. */
  inputs: string[];
  outputs: string[];
  /** Source of the times; `left`: the time limit was reached, and the default kernel is used. */
  source: "cache" | "left" | "timed";
  /** Name of the kernel in use. */
  chosen: string;
  /** Candidates, the default first; `time` is that of a run, null if it was not timed. */
  candidates: ({
    name: string;
    time: number | null;
    chosen: boolean;
  })[];
}

/** Units of metrics: `ms`, `bytes`, `ratio`, or a rate such as `images/s`. */
export type Unit = "bytes" | "ms" | "ratio" | `${string}/s`;

/** Result of a variant. */
export interface VariantResult {
  name: string;
  /** Value of each swept setting, by its path; empty without a sweep. */
  axes: {
    [name: string]: number | string;
  };
  /** Resolved settings as plain data. */
  config: {
    /** Title of the model; null for the loader alone. */
    readonly model?: string | null | undefined;
    /** File with the parameters at the start; null for initial values. */
    readonly weights?: string | null | undefined;
    readonly mode?: string | undefined;
    readonly optimizer?:
      | {
        readonly kind?: string | undefined;
        [name: string]: unknown;
      }
      | null
      | undefined;
    readonly data?: {
      readonly kind?: string | undefined;
      readonly dir?: string | null | undefined;
      readonly unit?: string | undefined;
      readonly fuse?: boolean | undefined;
      readonly placement?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    readonly loader?: {
      readonly batchSize?: number | undefined;
      readonly numWorkers?: "auto" | number | undefined;
      readonly prefetch?: number | undefined;
      readonly sharedMemory?: boolean | undefined;
      [name: string]: unknown;
    } | undefined;
    readonly amp?: {
      readonly level?: string | undefined;
      readonly keepF32?: string[] | undefined;
      [name: string]: unknown;
    } | undefined;
    readonly sink?: "epoch" | number | undefined;
    readonly compile?: {
      readonly fusion?: boolean | string[] | undefined;
      readonly autotune?: unknown;
      readonly layout?: "auto" | "nchw" | "nhwc" | undefined;
      /** Absent in runs of versions without it. */
      readonly attention?: "auto" | "composed" | "tiled" | undefined;
      [name: string]: unknown;
    } | undefined;
    readonly monitor?: string | undefined;
    readonly timing?: string | null | undefined;
    readonly seed?: number | undefined;
    /** Epochs to train for, instead of `measure.steps`. */
    readonly epochs?: number | null | undefined;
    readonly measure?: {
      readonly steps?: number | undefined;
      readonly skip?: number | undefined;
      readonly rounds?: number | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Options of a program; absent in variants. */
    readonly program?: {
      readonly steps?: string | undefined;
      readonly env?: {
        [name: string]: string | undefined;
      } | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Files that the model was read from; absent if it is code. */
    readonly modelFiles?: string[] | undefined;
    /** Absent in runs of versions without it. */
    readonly accumulate?: number | undefined;
    [name: string]: unknown;
  };
  status: VariantStatus;
  /** Message and exit status of the failure. */
  error: {
    message: string;
    exitStatus: number;
  } | null;
  planFingerprint: string | null;
  /** Number of trained parameters; null without a model. */
  parameters: number | null;
  metrics: Metrics;
  /** Bottleneck of a step: by its ablations where they were run, otherwise by its trace and queues. */
  bound: "device" | "host" | "input" | "none" | "transfer" | null;
  /** Loss at the last step that every variant reached; `step` is its index. */
  finalLoss: {
    step: number;
    value: Loss;
  } | null;
  /** Updates that loss scaling skipped because a gradient overflowed; null without loss scaling. */
  overflows: number | null;
  /** Those among them that were measured. */
  measuredOverflows: number | null;
  /** Course of the loss scale; null without loss scaling. */
  lossScale: LossScale | null;
  /** Over the measured blocks. */
  counts: {
    submits: number;
    waits: number;
    readbacks: number;
  } | null;
  /**
   * Timestamps over the measured blocks, and the number of times that the device's clock wrapped around or was reset during the
   * run; null without timestamps.
   */
  timestamps: {
    /** Timed passes. */
    passes: number;
    /** Those among them with usable times. */
    usable: number;
    defects: Defects;
    clockResets: number;
  } | null;
  blocks: Block[];
  /** Result of autotuning; null if it was off. */
  autotune: AutotuneResult | null;
  /** Ops of the profiled steps; empty without profiling. */
  ops: OpRecord[];
  /** Further results of profiled steps; null without profiling. */
  profile: Profile | null;
  /** Batches ready in the loader (`host`) and staged on the device (`device`) at every measured step. */
  queues: {
    device?: number[];
    host?: number[];
  };
  /** The input pipeline; null before the first measured step. */
  pipeline: Pipeline | null;
  /** Loss of every step, warm-up included. */
  losses: ("-Infinity" | "Infinity" | "NaN" | number | null)[];
  evaluations: Evaluation[];
  /** Verdict against the baseline; null until judged. */
  verdict: "faster" | "invalid" | "same" | "slower" | "unclear" | null;
  /** Comparison behind the verdict; null for the baseline, and without a complete round. */
  comparison: Comparison | null;
  /** Distribution of step times; null in a sink, whose steps are not timed separately. */
  stepTimes: StepTimes | null;
  outliers: Outliers | null;
  /** Agreement of the losses; null for the baseline, and without comparable losses. */
  quality: Quality | null;
  /** Trainings with several seeds; null without the setting `seeds`. */
  seeds: Seeds | null;
  /** Time to the target; null without a target. */
  target: Target | null;
  memory: Memory | null;
  /** Bottleneck analysis; null without profiling and ablations. */
  bottleneck: Bottleneck | null;
  findings: Finding[];
  /** Exact counts of a step; missing without a model and in results of earlier versions. */
  exact?: ExactCounts;
  /** Agreement of the outputs; missing for the baseline, and where it reports none. */
  outputs?: {
    /** Outputs up to the first difference. */
    compared: number;
    /** First difference with its place and both values; null without any. */
    difference: {
      where: string;
      value: string;
      baseline: string;
    } | null;
  };
  /** Distributed training; missing on one rank. */
  ranks?: Ranks;
  /** Profile of a program, as `tacho attach` measures it; missing for variants and unprofiled programs. */
  attached?: AttachResult;
}

export type VariantStatus = "failed" | "interrupted" | "ok";

/** Work of a program's steps, as WebGPU sees it. */
export interface Work {
  dispatches: number;
  renderPasses: number;
  /** Bytes that the host wrote to the device. */
  uploadBytes: number;
  /** Marks that can end a step. */
  marks: number;
}
