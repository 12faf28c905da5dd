/**
 * Types of the settings that a script writes. Generated from `schema.ts` by: deno task types
 *
 * @module
 */

import type { FusionName } from "./fusion_names.ts";

/** Settings under `loader`: batches, shuffling and worker threads. */
export interface LoaderSettings {
  /** Samples per batch; with accumulate, per micro-batch. Default: `32`. */
  readonly batchSize?: number | undefined;
  /** Threads that make batches; 0: the main thread makes them; auto: measure and choose. Default: `0`. */
  readonly numWorkers?: number | "auto" | undefined;
  /** Batches that each worker prepares ahead. Default: `2`. */
  readonly prefetch?: number | undefined;
  /** Pass batches in shared memory; false: as messages, by structured clone. Default: `true`. */
  readonly sharedMemory?: boolean | undefined;
  /** Shuffle the samples in every epoch, by the seed. Default: `true`. */
  readonly shuffle?: boolean | undefined;
  /** Samples buffered to shuffle a source without an index. Default: `1024`. */
  readonly shuffleBuffer?: number | undefined;
  /** Drop the last batch if it is not full; false: fill it by repeating its samples. Default: `true`. */
  readonly dropLast?: boolean | undefined;
  /** Action for a sample that cannot be made; skip: replace it with another one. Default: `"fail"`. */
  readonly onError?: "fail" | "skip" | undefined;
  /** Time limit for a sample, in ms. Default: `120000`. */
  readonly timeout?: number | undefined;
}

/** Settings under `amp.scaler`: loss scaling. */
export interface ScalerSettings {
  /** Scale the loss if gradients are f16. Default: `true`. */
  readonly enabled?: boolean | undefined;
  /** Let the scale grow and back off; false: keep it constant. Default: `true`. */
  readonly dynamic?: boolean | undefined;
  /** Initial scale. Default: `65536`. */
  readonly init?: number | undefined;
  /** Factor applied to the scale after `interval` steps without overflow. Default: `2`. */
  readonly growth?: number | undefined;
  /** Steps without overflow before the scale grows. Default: `2000`. */
  readonly interval?: number | undefined;
  /** Factor applied to the scale after a step that overflows. Default: `0.5`. */
  readonly backoff?: number | undefined;
}

/** Settings under `amp`: mixed precision; true: "O2", false: "O0". */
export interface AmpSettings {
  /** Ops with f16 data: O0: none; O1: tiled_attention, conv2d, conv_transpose2d, linear, matmul; O2: all but cross_entropy, cumsum, exp, layer_norm, log, log_softmax, log_sum_exp, reduce_mean, pow, rms_norm, rsqrt, softmax, softplus, reduce_sum, mean_squared_error, binary_cross_entropy, huber; O3: all; weights and running statistics: f32, in O3 f16. Default: `"O0"`. */
  readonly level?: "O0" | "O1" | "O2" | "O3" | undefined;
  /** Loss scaling. */
  readonly scaler?: ScalerSettings | undefined;
  /** Layers that stay in f32, by name or prefix. Default: `[]`. */
  readonly keepF32?: readonly string[] | undefined;
}

/** Settings under `ema`: exponential moving averages of the parameters, updated in each step; true: all defaults; null: none. */
export interface EmaSettings {
  /** Fraction of the averages that each update keeps. Default: `0.999`. */
  readonly decay?: number | undefined;
  /** Evaluate with the averages; false: with the parameters. Default: `true`. */
  readonly evaluate?: boolean | undefined;
}

/** Settings under `distribute`: train on the ranks that mpirun starts, each with a part of every batch; null: on one. */
export interface DistributeSettings {
  /** Gradients in one all-reduce, such as 4MiB. Default: `4194304`. */
  readonly bucket?: number | string | undefined;
  /** Start the all-reduce of a bucket while the backward pass goes on. Default: `false`. */
  readonly overlap?: boolean | undefined;
  /** Type in which ranks exchange gradients; null: f32. */
  readonly compress?: "f16" | null | undefined;
}

/** Settings under `compile.autotune`: choose kernels by timing them on this adapter during the first steps. */
export interface AutotuneSettings {
  /** Step at which tuning starts; with epochs, or measure.skip 0, all tuning runs before the first step. Default: `1`. */
  readonly start?: number | undefined;
  /** Step from which the fastest kernels are used, in whole sinks; all steps before it are warm-up. Default: `11`. */
  readonly stop?: number | undefined;
  /** Time limit; ops not tuned by then keep their default kernel. Default: `60`. */
  readonly seconds?: number | undefined;
  /** File with the times of earlier runs; null: a file per adapter in the cache folder. */
  readonly cache?: string | null | undefined;
}

/** Settings under `compile`: fusion, tuning and layout of kernels. */
export interface CompileSettings {
  /** Join ops into one kernel: all known fusions, none, or these. Default: `true`. */
  readonly fusion?: boolean | readonly FusionName[] | undefined;
  /** Let outputs overwrite inputs that are no longer needed. Default: `true`. */
  readonly inPlace?: boolean | undefined;
  /** Choose kernels by timing them on this adapter during the first steps. */
  readonly autotune?: boolean | AutotuneSettings | null | undefined;
  /** Memory layout of images; auto: nhwc, which the kernels are written for. Default: `"auto"`. */
  readonly layout?: "auto" | "nhwc" | "nchw" | undefined;
  /** Products and a softmax, or tiles without a matrix of weights; auto: tiles for many keys or weights. Default: `"auto"`. */
  readonly attention?: "auto" | "composed" | "tiled" | undefined;
}

/** Settings under `evaluate`: evaluation on the test split; null: none. */
export interface EvaluateSettings {
  /** Epochs between evaluations on the test split. */
  readonly every: number;
}

/** Settings that a variant can change. */
export interface VariantSettings {
  /** Batches, shuffling and worker threads. */
  readonly loader?: LoaderSettings | undefined;
  /** Safetensors file, or index of several, with the parameters to start from; null: initial values. */
  readonly weights?: string | null | undefined;
  /** Mixed precision; true: "O2", false: "O0". */
  readonly amp?: boolean | AmpSettings["level"] | AmpSettings | undefined;
  /** Steps per submission; 0: submit each step separately; true: 10. Default: `0`. */
  readonly sink?: boolean | number | "epoch" | undefined;
  /** Micro-batches of loader.batchSize samples in each step, whose gradients are averaged before the update. Default: `1`. */
  readonly accumulate?: number | undefined;
  /** Largest norm of all gradients together; larger gradients are scaled down to it; null: no limit. */
  readonly clipNorm?: number | null | undefined;
  /** Parameters with another weightDecay or learningRate; a parameter belongs to the first group that matches. Default: `[]`. */
  readonly groups?:
    | readonly ({
      /** Names of parameters, * for any characters; vectors: parameters with one dimension, such as biases and those of norms. */
      readonly match: string | readonly string[];
      /** Weight decay of the group; default: the optimizer's. */
      readonly weightDecay?: number | undefined;
      /** Learning rate of the group; default: the optimizer's. */
      readonly learningRate?: number | undefined;
    })[]
    | undefined;
  /** Exponential moving averages of the parameters, updated in each step; true: all defaults; null: none. */
  readonly ema?: boolean | EmaSettings | null | undefined;
  /** Activations computed again in the backward pass; blocks: inside numbered blocks; or inside these layers, * for any name. Default: `"none"`. */
  readonly recompute?: "none" | "blocks" | readonly string[] | undefined;
  /** Train on the ranks that mpirun starts, each with a part of every batch; null: on one. */
  readonly distribute?: boolean | DistributeSettings | null | undefined;
  /** Fusion, tuning and layout of kernels. */
  readonly compile?: CompileSettings | undefined;
  /** Train, or infer: running statistics, no dropout, no update. Default: `"train"`. */
  readonly mode?: "train" | "infer" | undefined;
  /** Read losses at the end of each block, or after every step. Default: `"block"`. */
  readonly monitor?: "block" | "step" | undefined;
  /** Clock of the step column: around the submit, with a wait, or on the device; null: no column. */
  readonly timing?: "host" | "sync" | "event" | null | undefined;
  /** Evaluation on the test split; null: none. */
  readonly evaluate?: EvaluateSettings | null | undefined;
}

/** Settings under `measure.outputs`: largest accepted difference of numbers in outputs that programs report. */
export interface OutputsSettings {
  /** Part of the baseline's number or of the root mean square of its array, the larger of both. Default: `0`. */
  readonly relative?: number | undefined;
  /** Difference that is accepted besides. Default: `0`. */
  readonly absolute?: number | undefined;
}

/** Settings under `measure`: warm-up, blocks and precision of the measurement. */
export interface MeasureSettings {
  /** Steps per block, rounded up to whole sinks. Default: `5`. */
  readonly steps?: number | undefined;
  /** Minimum number of warm-up steps; 0: none. Default: `3`. */
  readonly skip?: number | undefined;
  /** Maximum number of warm-up steps, used while steps still get faster. Default: `20`. */
  readonly maxSkip?: number | undefined;
  /** Blocks of each variant, interleaved; with precision: the minimum. Default: `8`. */
  readonly rounds?: number | undefined;
  /** Keep running until every interval is within this fraction (0.02 for ±2 %); null: run `rounds` rounds. */
  readonly precision?: number | null | undefined;
  /** Start no new round after this many seconds; null: no limit. */
  readonly maxTime?: number | null | undefined;
  /** Smallest difference in speed to report (0.01 for 1 %). Default: `0.01`. */
  readonly minEffect?: number | undefined;
  /** Statistic of a block's step times that variants are compared by: the mean, or a percentile. Default: `"mean"`. */
  readonly statistic?: "mean" | "p50" | "p90" | "p95" | "p99" | undefined;
  /** Largest accepted difference of numbers in outputs that programs report. */
  readonly outputs?: OutputsSettings | undefined;
  /** Set-ups of each variant, evenly over the rounds; null: one before each round while they take under 15 % of the time, and at least four while they take under half of it. */
  readonly setups?: number | null | undefined;
  /** Fresh processes that each variant runs in, evenly over the rounds; null: all variants run in this process. */
  readonly processes?: number | null | undefined;
  /** Rounds that time each op separately if steps are profiled; null: at least 10, until the times are precise or 6 s have passed. */
  readonly opRounds?: number | null | undefined;
  /** Run the baseline twice to measure how much two identical runs differ. Default: `true`. */
  readonly aa?: boolean | undefined;
  /** Largest relative difference from the baseline's losses; null: depends on the settings that differ. */
  readonly tolerance?: number | null | undefined;
}

/** Settings under `target`: loss or accuracy that every variant is trained to after the measured steps; null: none. */
export interface TargetSettings {
  /** Target for the mean loss of the last 10 steps. */
  readonly loss?: number | null | undefined;
  /** Target for the accuracy on the test split, from 0 to 1. */
  readonly accuracy?: number | null | undefined;
  /** Training runs of each variant, with consecutive seeds from the scenario's. Default: `3`. */
  readonly seeds?: number | undefined;
  /** Steps after which a training run gives up. Default: `1000`. */
  readonly maxSteps?: number | undefined;
  /** Steps between evaluations for an accuracy target. Default: `100`. */
  readonly every?: number | undefined;
}

/** Settings under `profile`: steps to profile after the measured ones; null: none. */
export interface ProfileSettings {
  /** Steps before the first cycle. Default: `0`. */
  readonly skipFirst?: number | undefined;
  /** Steps of each cycle before recording starts. Default: `0`. */
  readonly wait?: number | undefined;
  /** Steps recorded and discarded next. Default: `1`. */
  readonly warmup?: number | undefined;
  /** Steps recorded and kept after these. Default: `5`. */
  readonly active?: number | undefined;
  /** Number of cycles. Default: `1`. */
  readonly repeat?: number | undefined;
}

/** Settings of the whole scenario. */
export interface ScenarioSettings {
  /** Warm-up, blocks and precision of the measurement. */
  readonly measure?: MeasureSettings | undefined;
  /** Train for whole epochs instead of measure.steps. */
  readonly epochs?: number | null | undefined;
  /** Seed of all random numbers. Default: `1`. */
  readonly seed?: number | undefined;
  /** Trainings of each variant, with consecutive seeds, for intervals of losses and accuracies; null: the measured one. */
  readonly seeds?: number | null | undefined;
  /** Loss or accuracy that every variant is trained to after the measured steps; null: none. */
  readonly target?: TargetSettings | null | undefined;
  /** Steps to profile after the measured ones; null: none. */
  readonly profile?: ProfileSettings | null | undefined;
  /** Run each variant again without parts of its step, to find what bounds it. Default: `false`. */
  readonly bottleneck?: boolean | undefined;
  /** Device memory limit for all variants together. */
  readonly memoryBudget?: number | string | null | undefined;
}
