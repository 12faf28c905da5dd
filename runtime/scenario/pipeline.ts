/**
 * Inference pipelines: models on the device and host tasks between them, each stage timed separately.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { readable } from "../core/readable.ts";
import { isLayer, kindOf, type Layer, layer, type MarkedLayer } from "../nn/layer.ts";

/** Options of {@linkcode infer} and {@linkcode hostTask}. */
export interface StageOptions {
  /** Name in reports. Default: kind and position, such as `infer1` or `host2`. */
  readonly name?: string;
}

/** A model in inference mode. Its input is the output of the previous model. */
export interface InferStage {
  readonly kind: "infer";
  readonly name: string | null;
  readonly model: MarkedLayer;
}

/** Host work that does not use the device. */
export interface HostStage {
  readonly kind: "host";
  readonly name: string | null;
  readonly task: () => unknown;
}

/** A stage of a pipeline. */
export type Stage = InferStage | HostStage;

/** Named stages in the order in which they run. */
export interface Pipeline {
  /** Stages with their names, which are unique. */
  readonly stages: readonly (Stage & { readonly name: string })[];
}

/**
 * Creates a stage that runs a model in inference mode.
 *
 * @throws {InputError} if `model` is not a layer
 */
export function infer(model: Layer, options: StageOptions = {}): InferStage {
  const { name } = readable(options, "infer") ?? {};
  if (typeof model !== "function") throw new InputError(`infer: expected a layer, got ${kindOf(model)}`);
  return { kind: "infer", name: name ?? null, model: isLayer(model) ? model : layer(model) };
}

/**
 * Creates a stage that runs a function on the host and awaits its result.
 *
 * @throws {InputError} if `task` is not a function
 */
export function hostTask(task: () => unknown, options: StageOptions = {}): HostStage {
  const { name } = readable(options, "hostTask") ?? {};
  if (typeof task !== "function") throw new InputError(`hostTask: expected a function, got ${kindOf(task)}`);
  return { kind: "host", name: name ?? null, task };
}

/**
 * Creates a pipeline that runs stages one after another.
 *
 * ```ts ignore
 * const two = pipeline([infer(features), hostTask(() => sortBoxes()), infer(classifier)]);
 * ```
 *
 * @throws {InputError} if there is no `infer` stage, or two stages share a name
 */
export function pipeline(given: readonly Stage[]): Pipeline {
  const stages = readable(given, "pipeline");
  if (!Array.isArray(stages)) throw new InputError(`pipeline: expected a list of stages, got ${kindOf(stages)}`);
  const named = stages.map((stage: Stage | null | undefined, i) => {
    if (stage?.kind !== "infer" && stage?.kind !== "host") {
      throw new InputError(`pipeline: stage ${i + 1} is ${kindOf(stage)}, expected infer(model) or hostTask(fn)`);
    }
    return { ...stage, name: stage.name ?? `${stage.kind}${i + 1}` };
  });
  if (!named.some(({ kind }) => kind === "infer")) {
    throw new InputError("pipeline: expected at least one infer(model); a pipeline without one does no device work");
  }
  const names = named.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new InputError(`pipeline: two stages are named "${twice}"; give each a unique name`);
  return { stages: named };
}
