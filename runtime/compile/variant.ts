import { classAxis } from "../../ops/cross_entropy.ts";
import { LOSS_RING_STEPS } from "../../ops/optimizer/step_state.ts";
import { isFloat } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import type { Layout } from "../core/layout.ts";
import { roundUp } from "../core/round_up.ts";
import { sizeOf } from "../core/shape.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { uniformBytes } from "../device/bind.ts";
import { TIMESTAMP_BYTES } from "../device/timestamps.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { bufferBytes, type ImageLayout, isSameType } from "../graph/types.ts";
import { comparesClasses } from "../nn/losses.ts";
import { batchesPerStep, type Config } from "../scenario/config.ts";
import { gradientBytes } from "./accumulate.ts";
import { averageCopyBytes } from "./average.ts";
import { checkBuffer } from "./adapter_limits.ts";
import type { FieldType } from "./build.ts";
import { compileEvaluation, compileInference, compileTraining } from "./compile.ts";
import type { CompileOptions } from "./compile_options.ts";
import { type Bucket, bucketsOf, splitBackward } from "./gradient_buckets.ts";
import type { Choose } from "./lower.ts";
import type { MemoryUse, Plan } from "./plan.ts";
import { LOSS_RING_BYTES } from "./update.ts";

/** A compiled variant: its plans and their memory, independent of a device. */
export interface CompiledVariant {
  readonly plan: Plan;
  /** Returns the plan that computes the model's output, compiled on first use. */
  inference(): Plan;
  /** Returns the plan that scores samples, compiled on first use. */
  evaluation(): Plan;
  /** Number of parameter values. */
  readonly parameterCount: number;
  /** Initial loss scale. */
  readonly lossScale: number;
  /** Safetensors file with the parameters at the start; null for initial values. */
  readonly weights: string | null;
  /** Steps per submission; 0 submits each step separately. */
  readonly sink: number;
  /** True if evaluations use the moving averages of the parameters. */
  readonly evaluatesAverages: boolean;
  readonly memory: MemoryUse;
}

/** Options of {@linkcode compileVariant}. */
export interface CompileVariantOptions {
  /** Picks kernels; defaults to the adapter's. */
  readonly choose?: Choose | undefined;
  /**
   * Called with the memory of the variant, and before that, if `least` is true, with what it needs at least, before its
   * kernels are generated. Throws if that is too much.
   */
  readonly checkMemory?: ((memory: MemoryUse, least: boolean) => void) | undefined;
}

/**
 * Compiles a variant that has a model.
 *
 * @throws {InputError} if layers, loss and data do not fit together, or a buffer exceeds the adapter's limits
 */
export function compileVariant(
  config: Config,
  dataset: DatasetDescription,
  traits: DeviceTraits,
  { choose, checkMemory }: CompileVariantOptions = {},
): CompiledVariant {
  if (config.model === null) throw new Error("A variant without a model has no plan");
  const { batchSize } = config.loader;
  const { level, scaler, keepF32 } = config.amp;
  const training = config.mode === "train" && config.optimizer !== null;
  const scales = training && level !== "O0" && scaler.enabled;
  const options: CompileOptions = {
    model: config.model,
    loss: config.loss,
    optimizer: training ? config.optimizer : null,
    accumulate: config.accumulate,
    clipNorm: config.clipNorm,
    schedule: config.schedule,
    groups: config.groups,
    ema: config.ema,
    recompute: config.recompute,
    batch: {
      input: dataset.input === null
        ? batched(dataset.inputs, batchSize)
        : batched({ input: dataset.input }, batchSize)["input"]!,
      target: batched({ target: dataset.target }, batchSize)["target"]!,
      fields: batched(dataset.fields, batchSize),
    },
    amp: { level, keepF32, scaler: scales ? scaler : null },
    fusion: config.compile.fusion,
    inPlace: config.compile.inPlace,
    images: imageLayout(config.compile.layout),
    attention: config.compile.attention,
    traits,
    choose,
  };
  const { device = null } = dataset;
  const fed: CompileOptions = {
    ...options,
    batch: { ...options.batch, device },
    checkLeast: (least) => checkMemory?.(withPeak({ ...least, workspace: 0, feed: 0 }), true),
  };
  const compiled = config.mode === "infer" ? compileInference(fed) : compileTraining(fed);
  const { distribute } = config;
  const plan = distribute?.overlap === true ? splitBackward(compiled, distribute.bucket) : compiled;
  const outputs = plan.mode === "train" ? classesOf(plan) : null;
  if (comparesClasses(config.loss) && outputs !== null && (dataset.classes ?? 0) > outputs) {
    throw new InputError(
      `model: returns ${outputs} logits for each target, but the data has ${dataset.classes} classes; ` +
        `expected at least as many`,
    );
  }
  let inference: Plan | null = config.mode === "infer" && device === null ? plan : null;
  let evaluation: Plan | null = null;
  const sink = sinkSteps(config, dataset);
  const { accumulate } = plan;
  const largest = Math.max(plan.parameters.bytes, plan.averageBytes, ...plan.optimizerStates);
  checkBuffer(largest, "model: its parameters", "the size of its layers", traits);
  for (const bytes of Object.values(batchBytes(plan))) {
    checkBuffer(bytes * sink * accumulate, `sink: the batches of ${sink} steps`, "sink or loader.batchSize", traits);
  }
  const memory = memoryUse(
    plan,
    sink,
    evaluates(config) ? (evaluation ??= compileEvaluation(options)) : null,
    traits,
    distribute === null ? 0 : exchangedBytes(bucketsOf(plan, distribute.bucket)),
  );
  checkMemory?.(memory, false);
  return {
    plan,
    inference: () => inference ??= compileInference(options),
    evaluation: () => evaluation ??= compileEvaluation(options),
    parameterCount: plan.parameters.entries.reduce((sum, entry) => sum + sizeOf(entry.type.shape), 0),
    lossScale: scales ? scaler.init : 1,
    weights: config.weights,
    sink,
    evaluatesAverages: plan.averageBytes > 0 && config.ema?.evaluate === true,
    memory,
  };
}

/** Adds the batch dimension to fields of one sample. */
function batched(fields: Readonly<Record<string, FieldType>>, batchSize: number): Record<string, FieldType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { shape, dtype }]) => [name, { shape: [batchSize, ...shape], dtype }]),
  );
}

/** Returns true if the variant is evaluated on the test split. */
export function evaluates({ evaluate, target }: Config): boolean {
  return evaluate !== null || (target !== null && target.accuracy !== null);
}

/** Returns the number of logits per target if the model returns `[n, ..., classes]`, or null. */
function classesOf({ output }: Plan): number | null {
  return output.shape.length < 2 ? null : output.shape[classAxis(output)]!;
}

/** Returns the steps of a sink; `epoch` means the number of batches in an epoch. */
function sinkSteps(config: Config, dataset: DatasetDescription): number {
  const steps = config.sink === "epoch" ? epochSteps(config, dataset) : config.sink;
  if (steps > LOSS_RING_STEPS) {
    throw new InputError(
      `sink is ${steps} steps, expected at most ${LOSS_RING_STEPS}: the device keeps no more losses`,
    );
  }
  return steps;
}

/** Returns the memory layout that a setting means; `auto` is NHWC, for which the kernels are optimised. */
export function imageLayout(setting: Config["compile"]["layout"]): ImageLayout {
  return setting === "nchw" ? "nchw" : "nhwc";
}

/** Returns the layout in which a loader writes samples, so that the device need not convert batches. */
export function loaderLayout(dataset: DatasetDescription, { compile }: Pick<Config, "compile">): Layout {
  const images = dataset.input?.shape.length === 3 && isFloat(dataset.input.dtype);
  return images && imageLayout(compile.layout) === "nhwc" ? "nhwc" : "row";
}

/** Returns the number of batches in an epoch of the training split. */
export function epochBatches(config: Config, dataset: DatasetDescription): number {
  const batches = dataset.train.length / config.loader.batchSize;
  return config.loader.dropLast ? Math.floor(batches) : Math.ceil(batches);
}

/** Returns the number of whole steps in an epoch of the training split. */
export function epochSteps(config: Config, dataset: DatasetDescription): number {
  return Math.floor(epochBatches(config, dataset) / batchesPerStep(config));
}

/** Returns the bytes of each field of one batch on the device. */
function batchBytes({ inputs }: Plan): Record<string, number> {
  return Object.fromEntries(Object.entries(inputs).map(([field, type]) => [field, bufferBytes(type)]));
}

/** Returns the bytes of a plan's `output` buffer; 0 if the plan has a loss. */
export function outputBytes({ outputs }: Pick<Plan, "outputs">): number {
  return Math.max(0, ...Object.values(outputs).map(({ offset, size }) => offset + size));
}

/** Batches of an evaluation whose scores share one readback. */
export const EVALUATION_GROUP = 64;

/**
 * Returns the bytes allocated for a variant: slots shared by the plan and the evaluation plan, if any, and all buffers
 * that outlive a step. Short-lived readback buffers are not counted.
 *
 * @param exchanged bytes of gradients that ranks exchange, which are copied to a buffer that the host can read
 */
function memoryUse(
  plan: Plan,
  sink: number,
  evaluation: Plan | null,
  traits: DeviceTraits,
  exchanged: number,
): MemoryUse {
  const trains = plan.segments.some((segment) => segment.phase === "backward");
  const batch = sum(Object.values(batchBytes(plan)));
  const slots = plan.slots.map((bytes, i) => Math.max(bytes, evaluation?.slots[i] ?? 0));
  for (const bytes of evaluation?.slots.slice(plan.slots.length) ?? []) slots.push(bytes);
  const uniforms = (each: Plan) =>
    uniformBytes(each.segments.flatMap((segment) => segment.dispatches.map(({ kernel }) => kernel)));
  const scores = evaluation === null ? 0 : outputBytes(evaluation) * (1 + EVALUATION_GROUP) + uniforms(evaluation);
  const evaluated = Object.entries(evaluation?.inputs ?? {})
    .map(([field, type]) => isSameType(plan.inputs[field], type) ? 0 : bufferBytes(type));
  const use = {
    parameters: plan.parameters.bytes + plan.state.bytes,
    gradients: (trains ? gradientBytes(plan.parameters, plan.accumulate) : 0) + exchanged,
    optimizer: sum(plan.optimizerStates) + plan.averageBytes + averageCopyBytes(plan),
    activations: sum(slots) - plan.slotUse.workspace,
    workspace: plan.slotUse.workspace + plan.stepBytes + LOSS_RING_BYTES +
      roundUp(plan.gradientTable?.byteLength ?? 0, 16) + roundUp(plan.clipBytes, 16) + uniforms(plan) +
      outputBytes(plan) + scores +
      (traits.timestamps ? TIMESTAMP_BYTES : 0),
    feed: batch * (1 + (plan.accumulate > 1 ? plan.accumulate : 0) + 2 * sink * plan.accumulate) + sum(evaluated),
  };
  return withPeak(use);
}

function exchangedBytes(buckets: readonly Bucket[]): number {
  return sum(buckets.flatMap(({ ranges }) => ranges.map(({ size }) => size)));
}

function withPeak(parts: Omit<MemoryUse, "peak">): MemoryUse {
  return { ...parts, peak: sum(Object.values(parts)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
