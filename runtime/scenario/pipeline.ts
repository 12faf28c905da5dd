/**
 * Inference in stages: models on the device with work of the host between them, each stage timed by itself.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { isLayer, kindOf, type Layer, layer, type MarkedLayer } from "../nn/layer.ts";

export interface StageOptions {
  /** What reports call it; `infer1`, `host2`, ... by its place when left out. */
  readonly name?: string;
}

/** A model that runs in inference mode. Its input is the output of the model before it. */
export interface InferStage {
  readonly kind: "infer";
  readonly name: string | null;
  readonly model: MarkedLayer;
}

/** Work of the host that needs nothing from the device. */
export interface HostStage {
  readonly kind: "host";
  readonly name: string | null;
  readonly task: () => unknown;
}

export type Stage = InferStage | HostStage;

/** Stages in order, each with its name. */
export interface Pipeline {
  readonly stages: readonly (Stage & { readonly name: string })[];
}

/** A stage that runs a model. */
export function infer(model: Layer, { name }: StageOptions = {}): InferStage {
  if (typeof model !== "function") throw new InputError(`infer: expected a layer, got ${kindOf(model)}`);
  return { kind: "infer", name: name ?? null, model: isLayer(model) ? model : layer(model) };
}

/** A stage that runs a function on the host; a promise that it returns is awaited. */
export function hostTask(task: () => unknown, { name }: StageOptions = {}): HostStage {
  if (typeof task !== "function") throw new InputError(`hostTask: expected a function, got ${kindOf(task)}`);
  return { kind: "host", name: name ?? null, task };
}

/**
 * Stages one after the other:
 *
 * ```ts ignore
 * const two = pipeline([infer(features), hostTask(() => sortBoxes()), infer(classifier)]);
 * ```
 *
 * @throws {InputError} if there is no `infer` stage, or two stages have one name
 */
export function pipeline(stages: readonly Stage[]): Pipeline {
  if (!Array.isArray(stages)) throw new InputError(`pipeline: expected a list of stages, got ${kindOf(stages)}`);
  const named = stages.map((stage: Stage | null | undefined, i) => {
    if (stage?.kind !== "infer" && stage?.kind !== "host") {
      throw new InputError(`pipeline: stage ${i + 1} is ${kindOf(stage)}, expected infer(model) or hostTask(fn)`);
    }
    return { ...stage, name: stage.name ?? `${stage.kind}${i + 1}` };
  });
  if (!named.some(({ kind }) => kind === "infer")) {
    throw new InputError("pipeline: expected at least one infer(model); a pipeline times work of the device");
  }
  const names = named.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new InputError(`pipeline: two stages are called "${twice}"; give each its own name`);
  return { stages: named };
}
