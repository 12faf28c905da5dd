/**
 * What a scenario can set: types, defaults and descriptions in one place. `--help` is made from it.
 *
 * @module
 */
import { z } from "zod";
import { suggestion } from "../core/nearest.ts";
import { nonNegativeInteger, positiveInteger } from "../data/checked.ts";
import { DEFAULT_SHUFFLE_BUFFER, DEFAULT_TIMEOUT, numWorkersSchema, onErrorSchema } from "../data/loader/options.ts";
import { dataSchema } from "../data/sources/sources.ts";
import { lossSchema } from "../nn/losses.ts";
import { optimizerSchema } from "../nn/optimizers.ts";
import { DEFAULT_PROFILE } from "../record/schedule.ts";
import { TIMINGS } from "../record/timing.ts";
import { AMP_LEVELS, describeLevels } from "./amp_levels.ts";
import { byteSize } from "./byte_size.ts";
import { type FusionName, FUSIONS } from "./fusion_names.ts";

/** Sink size that `sink: true` stands for. */
export const DEFAULT_SINK = 10;

const flag = z.boolean({ error: "expected true or false" });

function record<S extends z.core.$ZodShape>(shape: S, error: string) {
  return z.strictObject(shape, { error });
}

export const loaderSchema = record({
  batchSize: positiveInteger.default(32).describe("samples in a step"),
  numWorkers: numWorkersSchema.default(0).meta({ type: 'integer >= 0, <= 256 | "auto"' })
    .describe("threads that make batches; 0: the main thread; auto: as many as measuring finds worth it"),
  prefetch: positiveInteger.default(2).describe("batches that each worker may be ahead"),
  sharedMemory: flag.default(true).describe(
    "hand batches over in shared memory; false: as messages, by structured clone",
  ),
  shuffle: flag.default(true).describe("another order in each epoch, drawn from the seed"),
  shuffleBuffer: positiveInteger.default(DEFAULT_SHUFFLE_BUFFER)
    .describe("samples among which the next is drawn, where the source has no index"),
  dropLast: flag.default(true).describe("leave out a last batch that is not full"),
  onError: onErrorSchema.default("fail").describe("skip: put another sample in the place of one that cannot be made"),
  timeout: positiveInteger.default(DEFAULT_TIMEOUT).describe("milliseconds that a sample may take"),
}, "expected a record such as { batchSize: 32, numWorkers: 2 }");

export const scalerSchema = record({
  enabled: flag.default(true).describe("scale the loss where gradients are f16"),
  dynamic: flag.default(true).describe("let the scale grow and back off; false: it stays as it starts"),
  init: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(65536)
    .describe("scale at the start"),
  growth: z.number({ error: "expected a number" }).min(1, { error: "expected at least 1" }).default(2)
    .describe("factor after a run of steps without overflow"),
  interval: positiveInteger.default(2000).describe("steps in such a run"),
  backoff: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" })
    .max(1, { error: "expected at most 1" }).default(0.5).describe("factor after a step that overflowed"),
}, "expected a record such as { init: 65536, growth: 2 }");

export const ampSchema = record({
  level: z.enum(AMP_LEVELS, { error: 'expected "O0", "O1", "O2" or "O3" (true: "O2", false: "O0")' })
    .default("O0").describe(describeLevels()),
  scaler: scalerSchema.prefault({}),
  keepF32: z.array(z.string({ error: "expected a layer's name" }), {
    error: "expected a list of layer names such as [fc, layer1.0]",
  }).default([]).describe("layers that stay in f32, by name or beginning of the name"),
}, 'expected "O0", "O1", "O2", "O3", true, false or a record such as { level: "O2" }');

/** Steps over which kernels are tuned, where `autotune` is `true`. */
export const DEFAULT_AUTOTUNE = { start: 1, stop: 11 } as const;

export const autotuneSchema = record({
  start: nonNegativeInteger.default(DEFAULT_AUTOTUNE.start).describe(
    "step before which the first kernels are timed; all before the first one with epochs, or with measure.skip 0",
  ),
  stop: positiveInteger.default(DEFAULT_AUTOTUNE.stop)
    .describe("step before which the best take over, in whole sinks; none up to there counts"),
  seconds: positiveInteger.default(60).describe("time that may be spent; what is left keeps its default"),
  cache: z.string({ error: "expected the path of a file" }).nullable().default(null)
    .describe("file with the times of earlier runs; null: one for each adapter in the cache folder"),
}, "expected true, false, or a record such as { start: 1, stop: 11 }")
  .refine(({ start, stop }) => start < stop, { error: "expected start to be less than stop" });

const fusionError = ({ input }: { input: unknown }) => {
  const unknown = Array.isArray(input) ? input.find((name) => !FUSIONS.includes(name)) : undefined;
  return typeof unknown === "string"
    ? `there is no fusion "${unknown}"${suggestion(unknown, FUSIONS)}`
    : `expected true, false or a list of ${FUSIONS.join(", ")}`;
};

export const compileSchema = record({
  fusion: z.custom<boolean | FusionName[]>(
    (value) => typeof value === "boolean" || (Array.isArray(value) && value.every((name) => FUSIONS.includes(name))),
    { error: fusionError },
  ).default(true).meta({ type: `true | false | list of ${FUSIONS.join(", ")}` })
    .describe("join ops into one kernel: all that is known, none, or these"),
  inPlace: flag.default(true).describe("let outputs take the place of inputs that are not needed any more"),
  autotune: autotuneSchema.nullable().default(null)
    .describe("choose kernels by timing them on this adapter, over a window of the first steps"),
  layout: z.enum(["auto", "nhwc", "nchw"], { error: 'expected "auto", "nhwc" or "nchw"' }).default("auto")
    .describe("order of images in memory; auto: nhwc, which the kernels are made for"),
}, "expected a record such as { fusion: true }");

const positive = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" });

export const measureSchema = record({
  steps: positiveInteger.default(5).describe("steps in a block, rounded up to whole sinks"),
  skip: nonNegativeInteger.default(3).describe("first steps of a variant that do not count, at the least; 0: none"),
  maxSkip: nonNegativeInteger.default(20).describe("the most of them, while steps get faster still"),
  rounds: positiveInteger.default(8).describe("blocks of each variant, interleaved; with precision: at the least"),
  precision: positive.max(1, { error: "expected at most 1" }).nullable().default(null)
    .describe("go on until each interval is as narrow, 0.02 for +-2 %; null: rounds decide"),
  maxTime: positive.nullable().default(null).describe("seconds after which no round is begun; null: no limit"),
  minEffect: z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" }).default(0.01)
    .describe("the least speed-up that counts as a difference: 0.01 for 1 %"),
  aa: flag.default(true).describe("run the baseline twice, to see what two runs of the same differ by"),
  tolerance: positive.nullable().default(null)
    .describe("how far losses may be from the baseline's, as a part of them; null: by what is set otherwise"),
}, "expected a record such as { steps: 5, skip: 3, rounds: 8 }");

export const targetSchema = record({
  loss: z.number({ error: "expected a number" }).nullable().default(null)
    .describe("mean loss of the last 10 steps to be reached"),
  accuracy: positive.max(1, { error: "expected at most 1" }).nullable().default(null)
    .describe("accuracy on the test split to be reached"),
  seeds: positiveInteger.max(100, { error: "expected at most 100" }).default(3)
    .describe("trainings of each variant, from the scenario's seed on"),
  maxSteps: positiveInteger.default(1000).describe("steps after which a training is given up"),
  every: positiveInteger.default(100).describe("steps between evaluations, for an accuracy"),
}, "expected a record such as { loss: 0.5 } or { accuracy: 0.9 }, or null")
  .refine(({ loss, accuracy }) => (loss === null) !== (accuracy === null), {
    error: "expected either a loss or an accuracy",
  });

const evaluateSchema = record({
  every: positiveInteger.describe("epochs between evaluations on the test split"),
}, "expected a record such as { every: 1 }, or null");

export const profileSchema = record({
  skipFirst: nonNegativeInteger.default(DEFAULT_PROFILE.skipFirst).describe("steps before the first cycle, usually 0"),
  wait: nonNegativeInteger.default(DEFAULT_PROFILE.wait).describe("steps of a cycle that are not recorded, usually 0"),
  warmup: nonNegativeInteger.default(DEFAULT_PROFILE.warmup).describe("then recorded and thrown away, usually 1"),
  active: positiveInteger.default(DEFAULT_PROFILE.active).describe("then recorded and kept, usually 5"),
  repeat: positiveInteger.default(DEFAULT_PROFILE.repeat).describe("cycles, usually 1"),
}, "expected a record such as { warmup: 1, active: 5 }, or null");

/** What holds for the whole scenario: no variant can change it. */
export const runSchema = z.strictObject({
  measure: measureSchema.prefault({}),
  epochs: positiveInteger.nullable().default(null).describe("train for whole epochs, in place of measure.steps"),
  seed: nonNegativeInteger.max(0xffffffff, { error: "expected at most 4294967295" }).default(1)
    .describe("start of all random numbers"),
  target: targetSchema.nullable().default(null),
  profile: profileSchema.nullable().default(null).describe("profiled steps after the measured ones; null: none"),
  bottleneck: flag.default(false)
    .describe("run each variant again with parts of its step taken away, to see what bounds it"),
  memoryBudget: byteSize.nullable().default(null).describe("device memory that all variants may take together"),
});

/** What a variant can change, but for `model` and `params`. */
export const settingsSchema = z.strictObject({
  loss: lossSchema.nullable().default(null).describe("what is minimised"),
  optimizer: optimizerSchema.nullable().default(null).describe("how parameters are updated; null: forward only"),
  data: dataSchema.describe("where samples come from"),
  loader: loaderSchema.prefault({}),
  amp: ampSchema.prefault({}),
  sink: z.union([nonNegativeInteger, z.literal("epoch")], {
    error: `expected a whole number of at least 0, "epoch", or true for ${DEFAULT_SINK}`,
  }).default(0).describe(`steps handed to the device at once; 0: each by itself; true: ${DEFAULT_SINK}`),
  compile: compileSchema.prefault({}),
  mode: z.enum(["train", "infer"], { error: 'expected "train" or "infer"' }).default("train")
    .describe("infer: running statistics, no dropout, and no update"),
  monitor: z.enum(["block", "step"], { error: 'expected "block" or "step"' }).default("block")
    .describe("read losses at the end of a block, or each at its step"),
  timing: z.enum(TIMINGS, { error: 'expected "host", "sync" or "event", or null' }).nullable().default(null)
    .describe("how steps are timed: around the submit, with a wait, or by the device; null: no such column"),
  evaluate: evaluateSchema.nullable().default(null),
});

/** Everything but `model` and `params`. */
export const configSchema = z.strictObject({ ...settingsSchema.shape, ...runSchema.shape });

export type AutotuneConfig = z.infer<typeof autotuneSchema>;
export type MeasureConfig = z.infer<typeof measureSchema>;
export type TargetConfig = z.infer<typeof targetSchema>;
/** A checked configuration, all defaults filled in. */
export type Settings = z.infer<typeof configSchema>;
