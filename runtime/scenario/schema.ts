/**
 * The settings of a scenario: types, defaults and descriptions in one place. `--help`, the reference and the types that
 * scripts are checked against are generated from it.
 *
 * @module
 */
import { z } from "zod";
import { STATISTICS } from "../core/percentile.ts";
import { suggestion } from "../core/nearest.ts";
import { deviceCount, nonNegativeInteger, positiveInteger } from "../data/checked.ts";
import { DEFAULT_SHUFFLE_BUFFER, DEFAULT_TIMEOUT, numWorkersSchema, onErrorSchema } from "../data/loader/options.ts";
import { dataSchema } from "../data/sources/sources.ts";
import { ATTENTION_FORMS } from "../graph/types.ts";
import { lossSchema } from "../nn/losses.ts";
import { parameterGroupSchema } from "../nn/parameter_groups.ts";
import { optimizerSchema } from "../nn/optimizers.ts";
import { scheduleSchema } from "../nn/schedules.ts";
import { DEFAULT_PROFILE } from "../record/schedule.ts";
import { TIMINGS } from "../record/timing.ts";
import { AMP_LEVELS, describeLevels } from "./amp_levels.ts";
import { byteSize } from "../data/byte_size.ts";
import { type FusionName, FUSIONS } from "./fusion_names.ts";

/** Steps of a sink with `sink: true`. */
export const DEFAULT_SINK = 10;

const flag = z.boolean({ error: "expected true or false" });

function record<S extends z.core.$ZodShape>(shape: S, error: string) {
  return z.strictObject(shape, { error });
}

export const loaderSchema = record({
  batchSize: positiveInteger.default(32).describe("samples per batch; with accumulate, per micro-batch"),
  numWorkers: numWorkersSchema.default(0).meta({ type: 'integer >= 0, <= 256 | "auto"' })
    .describe("threads that make batches; 0: the main thread makes them; auto: measure and choose"),
  prefetch: positiveInteger.default(2).describe("batches that each worker prepares ahead"),
  sharedMemory: flag.default(true).describe(
    "pass batches in shared memory; false: as messages, by structured clone",
  ),
  shuffle: flag.default(true).describe("shuffle the samples in every epoch, by the seed"),
  shuffleBuffer: positiveInteger.default(DEFAULT_SHUFFLE_BUFFER)
    .describe("samples buffered to shuffle a source without an index"),
  dropLast: flag.default(true).describe(
    "drop the last batch if it is not full; false: fill it by repeating its samples",
  ),
  onError: onErrorSchema.default("fail").describe(
    "action for a sample that cannot be made; skip: replace it with another one",
  ),
  timeout: positiveInteger.default(DEFAULT_TIMEOUT).describe("time limit for a sample, in ms"),
}, "expected a record such as { batchSize: 32, numWorkers: 2 }");

/** Bounds of the loss scale: it and its reciprocal are normal numbers in f32. */
const [SMALLEST_SCALE, LARGEST_SCALE] = [1e-37, 1e37];
const SCALES = { error: "expected a number from 1e-37 to 1e37" };

export const scalerSchema = record({
  enabled: flag.default(true).describe("scale the loss if gradients are f16"),
  dynamic: flag.default(true).describe("let the scale grow and back off; false: keep it constant"),
  init: z.number({ error: "expected a number" }).min(SMALLEST_SCALE, SCALES).max(LARGEST_SCALE, SCALES).default(
    65536,
  )
    .describe("initial scale"),
  growth: z.number({ error: "expected a number" }).min(1, { error: "expected at least 1" }).default(2)
    .describe("factor applied to the scale after `interval` steps without overflow"),
  interval: positiveInteger.default(2000).describe("steps without overflow before the scale grows"),
  backoff: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" })
    .max(1, { error: "expected at most 1" }).default(0.5).describe(
      "factor applied to the scale after a step that overflows",
    ),
}, "expected a record such as { init: 65536, growth: 2 }");

export const ampSchema = record({
  level: z.enum(AMP_LEVELS, { error: 'expected "O0", "O1", "O2" or "O3" (true: "O2", false: "O0")' })
    .default("O0").describe(describeLevels()),
  scaler: scalerSchema.prefault({}).describe("loss scaling"),
  keepF32: z.array(z.string({ error: "expected a layer's name" }), {
    error: "expected a list of layer names such as [fc, layer1.0]",
  }).default([]).describe("layers that stay in f32, by name or prefix"),
}, 'expected "O0", "O1", "O2", "O3", true, false or a record such as { level: "O2" }');

/** Steps during which kernels are tuned with `autotune: true`. */
const DEFAULT_AUTOTUNE = { start: 1, stop: 11 } as const;

export const autotuneSchema = record({
  start: nonNegativeInteger.default(DEFAULT_AUTOTUNE.start).describe(
    "step at which tuning starts; with epochs, or measure.skip 0, all tuning runs before the first step",
  ),
  stop: positiveInteger.default(DEFAULT_AUTOTUNE.stop)
    .describe("step from which the fastest kernels are used, in whole sinks; all steps before it are warm-up"),
  seconds: positiveInteger.default(60).describe("time limit; ops not tuned by then keep their default kernel"),
  cache: z.string({ error: "expected the path of a file" }).nullable().default(null)
    .describe("file with the times of earlier runs; null: a file per adapter in the cache folder"),
}, "expected true, false, or a record such as { start: 1, stop: 11 }")
  .refine(({ start, stop }) => start < stop, { error: "expected start to be less than stop" });

const fusionError = ({ input }: { input: unknown }) => {
  const unknown = Array.isArray(input) ? input.find((name) => !FUSIONS.includes(name)) : undefined;
  return typeof unknown === "string"
    ? `unknown fusion "${unknown}"${suggestion(unknown, FUSIONS)}`
    : `expected true, false or a list of ${FUSIONS.join(", ")}`;
};

export const compileSchema = record({
  fusion: z.custom<boolean | FusionName[]>(
    (value) => typeof value === "boolean" || (Array.isArray(value) && value.every((name) => FUSIONS.includes(name))),
    { error: fusionError },
  ).default(true).meta({
    type: `true | false | list of ${FUSIONS.join(", ")}`,
    script: "boolean | readonly FusionName[]",
  })
    .describe("join ops into one kernel: all known fusions, none, or these"),
  inPlace: flag.default(true).describe("let outputs overwrite inputs that are no longer needed"),
  autotune: autotuneSchema.nullable().default(null)
    .describe("choose kernels by timing them on this adapter during the first steps"),
  layout: z.enum(["auto", "nhwc", "nchw"], { error: 'expected "auto", "nhwc" or "nchw"' }).default("auto")
    .describe("memory layout of images; auto: nhwc, which the kernels are written for"),
  attention: z.enum(ATTENTION_FORMS, { error: 'expected "auto", "composed" or "tiled"' }).default("auto").describe(
    "products and a softmax, or tiles without a matrix of weights; auto: tiles for many keys or weights",
  ),
}, "expected a record such as { fusion: true }");

const positive = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" });

export const measureSchema = record({
  steps: positiveInteger.default(5).describe("steps per block, rounded up to whole sinks"),
  skip: nonNegativeInteger.default(3).describe("minimum number of warm-up steps; 0: none"),
  maxSkip: nonNegativeInteger.default(20).describe(
    "maximum number of warm-up steps, used while steps still get faster",
  ),
  rounds: positiveInteger.default(8).describe("blocks of each variant, interleaved; with precision: the minimum"),
  precision: positive.max(1, { error: "expected at most 1" }).nullable().default(null)
    .describe("keep running until every interval is within this fraction (0.02 for ±2 %); null: run `rounds` rounds"),
  maxTime: positive.nullable().default(null).describe("start no new round after this many seconds; null: no limit"),
  minEffect: z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" })
    .max(1, { error: "expected at most 1 (0.05 for 5 %)" }).default(0.01)
    .describe("smallest difference in speed to report (0.01 for 1 %)"),
  statistic: z.enum(STATISTICS, { error: `expected ${STATISTICS.join(", ")}` }).default("mean")
    .describe("statistic of a block's step times that variants are compared by: the mean, or a percentile"),
  outputs: record({
    relative: z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" }).default(0)
      .describe("part of the baseline's number or of the root mean square of its array, the larger of both"),
    absolute: z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" }).default(0)
      .describe("difference that is accepted besides"),
  }, "expected a record such as { relative: 1e-3, absolute: 1e-6 }").prefault({})
    .describe("largest accepted difference of numbers in outputs that programs report"),
  setups: positiveInteger.nullable().default(null).describe(
    "set-ups of each variant, evenly over the rounds; null: one before each round while they take under 15 % of the time, " +
      "and at least four while they take under half of it",
  ),
  processes: positiveInteger.nullable().default(null).describe(
    "fresh processes that each variant runs in, evenly over the rounds; null: all variants run in this process",
  ),
  opRounds: positiveInteger.nullable().default(null).describe(
    "rounds that time each op separately if steps are profiled; null: at least 10, until the times are precise or 6 s have passed",
  ),
  aa: flag.default(true).describe("run the baseline twice to measure how much two identical runs differ"),
  tolerance: positive.nullable().default(null)
    .describe("largest relative difference from the baseline's losses; null: depends on the settings that differ"),
}, "expected a record such as { steps: 5, skip: 3, rounds: 8 }");

export const targetSchema = record({
  loss: z.number({ error: "expected a number" }).nullable().default(null)
    .describe("target for the mean loss of the last 10 steps"),
  accuracy: positive.max(1, { error: "expected at most 1" }).nullable().default(null)
    .describe("target for the accuracy on the test split, from 0 to 1"),
  seeds: positiveInteger.max(100, { error: "expected at most 100" }).default(3)
    .describe("training runs of each variant, with consecutive seeds from the scenario's"),
  maxSteps: positiveInteger.default(1000).describe("steps after which a training run gives up"),
  every: positiveInteger.default(100).describe("steps between evaluations for an accuracy target"),
}, "expected a record such as { loss: 0.5 } or { accuracy: 0.9 }, or null")
  .refine(({ loss, accuracy }) => (loss === null) !== (accuracy === null), {
    error: "expected either a loss or an accuracy",
  });

/** Bytes of gradients in one all-reduce with `distribute: true`. */
const DEFAULT_BUCKET = 4 * 2 ** 20;

export const distributeSchema = record({
  bucket: byteSize.default(DEFAULT_BUCKET).describe("gradients in one all-reduce, such as 4MiB"),
  overlap: flag.default(false).describe("start the all-reduce of a bucket while the backward pass goes on"),
  compress: z.enum(["f16"], { error: 'expected "f16" or null' }).nullable().default(null)
    .describe("type in which ranks exchange gradients; null: f32"),
}, 'expected true, false or a record such as { bucket: "4MiB" }');

export const emaSchema = record({
  decay: z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" })
    .lt(1, { error: "expected less than 1" }).default(0.999).describe(
      "fraction of the averages that each update keeps",
    ),
  evaluate: flag.default(true).describe("evaluate with the averages; false: with the parameters"),
}, "expected true, false or a record such as { decay: 0.999 }");

const evaluateSchema = record({
  every: positiveInteger.describe("epochs between evaluations on the test split"),
}, "expected a record such as { every: 1 }, or null");

export const profileSchema = record({
  skipFirst: nonNegativeInteger.default(DEFAULT_PROFILE.skipFirst).describe("steps before the first cycle, usually 0"),
  wait: nonNegativeInteger.default(DEFAULT_PROFILE.wait).describe(
    "steps of each cycle before recording starts, usually 0",
  ),
  warmup: nonNegativeInteger.default(DEFAULT_PROFILE.warmup).describe("steps recorded and discarded next, usually 1"),
  active: positiveInteger.default(DEFAULT_PROFILE.active).describe("steps recorded and kept after these, usually 5"),
  repeat: positiveInteger.default(DEFAULT_PROFILE.repeat).describe("number of cycles, usually 1"),
}, "expected a record such as { warmup: 1, active: 5 }, or null");

/** Settings of the whole scenario, which variants cannot change. */
export const runSchema = z.strictObject({
  measure: measureSchema.prefault({}).describe("warm-up, blocks and precision of the measurement"),
  epochs: positiveInteger.nullable().default(null).describe("train for whole epochs instead of measure.steps"),
  seed: nonNegativeInteger.max(0xffffffff, { error: "expected at most 4294967295" }).default(1)
    .describe("seed of all random numbers"),
  seeds: z.int({ error: "expected a whole number" }).min(2, { error: "expected at least 2" })
    .max(100, { error: "expected at most 100" }).nullable().default(null).describe(
      "trainings of each variant, with consecutive seeds, for intervals of losses and accuracies; null: the measured one",
    ),
  target: targetSchema.nullable().default(null)
    .describe("loss or accuracy that every variant is trained to after the measured steps; null: none"),
  profile: profileSchema.nullable().default(null).describe("steps to profile after the measured ones; null: none"),
  bottleneck: flag.default(false)
    .describe("run each variant again without parts of its step, to find what bounds it"),
  memoryBudget: byteSize.nullable().default(null).describe("device memory limit for all variants together"),
});

/** Settings that a variant can change, except `model` and `params`. */
export const settingsSchema = z.strictObject({
  loss: lossSchema.nullable().default(null).describe("loss to minimise"),
  optimizer: optimizerSchema.nullable().default(null).describe(
    "update rule of the parameters; null: forward pass only",
  ),
  data: dataSchema.describe("source of the samples"),
  loader: loaderSchema.prefault({}).describe("batches, shuffling and worker threads"),
  weights: z.string({ error: "expected the path of a safetensors file" }).nullable().default(null).describe(
    "safetensors file, or index of several, with the parameters to start from; null: initial values",
  ),
  amp: ampSchema.prefault({}).describe('mixed precision; true: "O2", false: "O0"'),
  sink: z.union([nonNegativeInteger, z.literal("epoch")], {
    error: `expected a whole number of at least 0, "epoch", or true for ${DEFAULT_SINK}`,
  }).default(0).describe(`steps per submission; 0: submit each step separately; true: ${DEFAULT_SINK}`),
  accumulate: deviceCount.default(1).describe(
    "micro-batches of loader.batchSize samples in each step, whose gradients are averaged before the update",
  ),
  clipNorm: z.number({ error: "expected a number, or null for no limit" })
    .positive({ error: "expected more than 0, or null for no limit" }).nullable().default(null).describe(
      "largest norm of all gradients together; larger gradients are scaled down to it; null: no limit",
    ),
  schedule: scheduleSchema.nullable().default(null).describe(
    "learning rate over the updates, as a factor on that of the optimizer; null: constant",
  ),
  groups: z.array(parameterGroupSchema, {
    error: 'expected a list of groups such as [{ match: "vectors", weightDecay: 0 }]',
  }).default([]).describe(
    "parameters with another weightDecay or learningRate; a parameter belongs to the first group that matches",
  ),
  ema: emaSchema.nullable().default(null)
    .describe("exponential moving averages of the parameters, updated in each step; true: all defaults; null: none"),
  recompute: z.union([
    z.enum(["none", "blocks"]),
    z.array(z.string({ error: "expected a layer's name" })).min(1, { error: "expected at least one layer" }),
  ], { error: 'expected "none", "blocks" or a list of layers such as [layer1, "h.*"]' }).default("none").describe(
    "activations computed again in the backward pass; blocks: inside numbered blocks; or inside these layers, * for any name",
  ),
  distribute: distributeSchema.nullable().default(null)
    .describe("train on the ranks that mpirun starts, each with a part of every batch; null: on one"),
  compile: compileSchema.prefault({}).describe("fusion, tuning and layout of kernels"),
  mode: z.enum(["train", "infer"], { error: 'expected "train" or "infer"' }).default("train")
    .describe("train, or infer: running statistics, no dropout, no update"),
  monitor: z.enum(["block", "step"], { error: 'expected "block" or "step"' }).default("block")
    .describe("read losses at the end of each block, or after every step"),
  timing: z.enum(TIMINGS, { error: 'expected "host", "sync" or "event", or null' }).nullable().default(null)
    .describe("clock of the step column: around the submit, with a wait, or on the device; null: no column"),
  evaluate: evaluateSchema.nullable().default(null).describe("evaluation on the test split; null: none"),
});

/** All settings except `model` and `params`. */
export const configSchema = z.strictObject({ ...settingsSchema.shape, ...runSchema.shape });

export type AutotuneConfig = z.infer<typeof autotuneSchema>;
export type MeasureConfig = z.infer<typeof measureSchema>;
export type TargetConfig = z.infer<typeof targetSchema>;
/** Checked settings with all defaults filled in. */
export type Settings = z.infer<typeof configSchema>;
