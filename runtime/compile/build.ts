import { add } from "../../ops/add.ts";
import { assignments } from "../../ops/assign.ts";
import { augment } from "../../ops/augment.ts";
import { cast } from "../../ops/cast.ts";
import { copy } from "../../ops/copy.ts";
import { InputError, TachoError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { type DType, type FloatType, isFloat } from "../core/dtype.ts";
import { formatShape, type Shape } from "../core/shape.ts";
import type { DevicePart } from "../data/transforms/transform.ts";
import { differentiate } from "../graph/autograd.ts";
import { leafAttrs } from "../graph/leaf.ts";
import { Graph } from "../graph/graph.ts";
import { type Mode, Tensor } from "../graph/op.ts";
import { activation, type AttentionSetting, type ImageLayout, rowMajor, type TensorType } from "../graph/types.ts";
import type { Layer } from "../nn/layer.ts";
import { applyLoss, type LossSpec } from "../nn/losses.ts";
import { checkedTensors, isMultiInput, type Model, type Tensors } from "../nn/multi_input.ts";
import type { Program } from "./rewrite.ts";
import { liveNodes } from "./lower.ts";
import { isView, sourceOf } from "./views.ts";

/** Type of a field of a batch, the batch dimension first. */
export interface FieldType {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** Types of one batch. */
export interface BatchTypes {
  /** The model's input, or its inputs by name if it takes a record. */
  readonly input: FieldType | Readonly<Record<string, FieldType>>;
  /** Transforms that the device applies before the model; null if the batch arrives as `input`. */
  readonly device?: DevicePart | null;
  readonly target: FieldType;
  /** Further fields, which losses in code can read. */
  readonly fields?: Readonly<Record<string, FieldType>>;
}

/**
 * Builds the graph of a model and its loss.
 *
 * @throws {InputError} if layers, loss and batch do not fit together
 */
export function buildProgram(
  model: Layer | Model,
  loss: LossSpec | null,
  batch: BatchTypes,
  mode: Mode,
  images: ImageLayout = "nhwc",
  attention: AttentionSetting = "auto",
): Program {
  const graph = new Graph(mode, images, attention);
  const output = applied(graph, model, batch);
  if (!isInstance(output, Tensor)) {
    throw new InputError(
      `model: expected a layer, a function from tensor to tensor, but it returned ${describe(output)}; ` +
        "return the output tensor of the last layer",
    );
  }
  if (output.graph !== graph) {
    throw new InputError(
      "model: returns a tensor of another build of the model; each variant builds its own graph. Compute the tensor " +
        "inside the model's function instead of keeping it in a variable outside",
    );
  }
  if (loss === null || mode === "infer") return { graph, output, loss: null };
  const target = graph.input("target", rowMajor(batch.target.shape, batch.target.dtype));
  try {
    return { graph, output, loss: applyLoss(loss, output, target, fieldsOf(graph, batch)) };
  } catch (error) {
    if (!isInstance(error, InputError)) throw error;
    throw new InputError(
      `${error.message} (the model returns ${formatShape(output.shape)}, targets are ` +
        `${formatShape(batch.target.shape)})`,
      { cause: error },
    );
  }
}

/** Applies the model. An error that a script's own layer throws becomes an `InputError` about this model. */
function applied(graph: Graph, model: Layer | Model, batch: BatchTypes): Tensor {
  const { input } = batch;
  const several = isMultiInput(model as Model);
  try {
    if (several) return (model as (inputs: Tensors) => Tensor)(inputsOf(graph, batch));
    if (isField(input)) return (model as Layer)(inputOf(graph, { ...batch, input }));
  } catch (error) {
    if (isInstance(error, TachoError)) throw error;
    throw new InputError(`model: a layer failed: ${error}`, { cause: error });
  }
  const names = Object.keys(input).join(", ");
  throw new InputError(
    `model: takes one tensor, but the data has the inputs ${names}; write ` +
      `model: multiInput(({ ${names} }) => ...)`,
  );
}

function isField(input: BatchTypes["input"]): input is FieldType {
  return Array.isArray(input.shape);
}

/** Returns the model's input, transformed on the device if the batch has a device part. */
function inputOf(graph: Graph, { input, device = null }: { input: FieldType; device?: DevicePart | null }): Tensor {
  if (device === null) return graph.input("input", fieldType(graph, input));
  return augment(graph.input("input", rowMajor([input.shape[0]!, device.words], "u32")), device);
}

/** Returns the model's inputs by name: those of the data, or `input` alone. */
function inputsOf(graph: Graph, { input, device = null }: BatchTypes): Tensors {
  if (isField(input)) return { input: inputOf(graph, { input, device }) };
  return Object.fromEntries(
    Object.entries(input).map(([name, type]) => [name, graph.input(name, fieldType(graph, type))]),
  );
}

/** Returns floats of four dimensions as images, all else in row-major order. */
function fieldType({ imageLayout }: Graph, { shape, dtype }: FieldType): TensorType {
  return isFloat(dtype) ? activation(shape, dtype, imageLayout) : rowMajor(shape, dtype);
}

/** Returns the batch's further fields. A field becomes part of the graph, and is uploaded, only if it is read. */
export function fieldsOf(graph: Graph, { fields = {} }: BatchTypes): Tensors {
  const tensors = Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(fields).map(([name, { shape, dtype }]) => [name, {
        enumerable: true,
        get: () => graph.input(name, rowMajor(shape, dtype)),
      }]),
    ),
  );
  return checkedTensors(tensors, "loss: reads the field");
}

/**
 * Adds the backward pass and returns the gradient of each parameter. A gradient has the parameter's type and shares its
 * memory with no other tensor, so that kernels can write it directly to the arena of gradients.
 */
export function addGradients(program: Program): Map<Tensor, Tensor> {
  const { graph, loss } = program;
  if (loss === null) throw new Error("No loss to differentiate");
  const parameters = graph.leaves("parameter");
  const raw = differentiate(loss, graph.lossScale(), parameters, add);
  const live = liveNodes(graph, raw.filter((gradient) => gradient !== null));
  // No kernel may read one gradient in the arena and write another, as where a batch of one leaves nothing to sum
  const taken = new Set(live.flatMap(({ inputs }) => inputs.map((input) => key(sourceOf(input)))));
  const gradients = new Map<Tensor, Tensor>();
  parameters.forEach((parameter, i) => {
    let gradient = raw[i] ?? null;
    if (gradient === null) return;
    const produced = gradient;
    gradient = graph.gradientOf(parameter.node, () => ownTensor(produced, parameter.dtype as FloatType, taken));
    gradients.set(parameter, gradient);
  });
  return gradients;
}

/**
 * Adds copies of the values that the model assigns to its buffers, and returns the copy for each buffer. They are the
 * last nodes, so that all others read the old values.
 *
 * @param backward true if a backward pass was added, to which the copies then belong
 */
export function addAssignments({ graph }: Program, backward: boolean): Map<Tensor, Tensor> {
  return new Map(
    assignments(graph.nodes).map(([target, value]) => {
      const build = () => copy(cast(value, target.dtype));
      return [target, backward ? graph.gradientOf(value.node, build) : graph.inLayer(value.node.layer, build)];
    }),
  );
}

/** Casts `tensor` to `dtype`, copies it if it is a view, a leaf or in `taken`, and adds the result to `taken`. */
export function ownTensor(tensor: Tensor, dtype: FloatType, taken: Set<string> = new Set()): Tensor {
  const typed = cast(tensor, dtype);
  const shared = leafAttrs(typed) !== null || taken.has(key(typed)) || isView(typed.node);
  const own = shared ? copy(typed) : typed;
  taken.add(key(own));
  return own;
}

function key(tensor: Tensor): string {
  return `${tensor.node.id}:${tensor.index}`;
}

function describe(value: unknown): string {
  return typeof value === "function"
    ? "another function; if the model is a factory such as relu, write relu() instead"
    : `${value}`;
}
