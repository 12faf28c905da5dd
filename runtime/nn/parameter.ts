/**
 * Weights of layers that scripts write.
 *
 * @module
 */

import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../core/shape.ts";
import { shown } from "../core/shown.ts";
import { type GraphBuilder, Tensor } from "../graph/op.ts";
import { type Initializer, type LeafKind, rowMajor } from "../graph/types.ts";
import { initializerSchema, type InitializerSpec, resolveInitializer, zeros } from "./initializers.ts";
import { kindOf, type Layer, layerError } from "./layer.ts";
import { layerOptions } from "./options.ts";

/** Shape of a parameter, or a function that returns it for the tensor that it is first used with. */
export type ParameterShape = Shape | ((x: Tensor) => Shape);

/** Options of {@linkcode parameter}. */
export interface ParameterOptions {
  /** Initial values. Default: 0. */
  init?: InitializerSpec;
}

/** Options of {@linkcode buffer}. */
export interface BufferOptions {
  /** Initial values, or a list of them in row-major order. Default: 0. */
  init?: InitializerSpec | readonly number[] | Float32Array;
}

const parameterSchema = z.strictObject({ init: initializerSchema.default(zeros()) });
const bufferSchema = z.strictObject({
  init: z.union([z.array(z.number()), z.instanceof(Float32Array), initializerSchema], {
    error: "expected an initialiser such as zeros(), or a list of numbers",
  }).default(zeros()),
});

/**
 * Creates a trained f32 tensor for a layer of your own. The result is a function: inside a layer, apply it to any tensor
 * of the model to get the parameter. Create it outside of the layer's function; a layer that is applied twice then shares
 * it. Its full name begins with the layer's, such as `norm.scale`.
 *
 * @example A trained scale of each feature
 * ```ts
 * import { type Layer, layer, mul, ones, parameter } from "@tacho/tacho";
 *
 * function scaled(): Layer {
 *   const scale = parameter("scale", (x) => [x.shape.at(-1)!], { init: ones() });
 *   return layer((x) => mul(x, scale(x)));
 * }
 * ```
 *
 * @throws {InputError} if an argument is wrong; on use, if the shape differs from that of the first use
 */
export function parameter(name: string, shape: ParameterShape, options: ParameterOptions = {}): Layer {
  const { init } = layerOptions("parameter", parameterSchema, options);
  return kept("parameter", "parameter", name, shape, (sizes) => resolveInitializer(init, sizes));
}

/**
 * Creates an f32 tensor that is not trained, such as a table of constants, for a layer of your own. It is used, named and
 * saved like a {@linkcode parameter}.
 *
 * @throws {InputError} if an argument is wrong; on use, if the shape differs from that of the first use
 */
export function buffer(name: string, shape: ParameterShape, options: BufferOptions = {}): Layer {
  const { init } = layerOptions("buffer", bufferSchema, options);
  return kept("buffer", "state", name, shape, (sizes, path) => {
    if (!ArrayBuffer.isView(init) && !Array.isArray(init)) return resolveInitializer(init, sizes);
    if (init.length === sizeOf(sizes)) return { kind: "values", values: Float32Array.from(init) };
    throw layerError(path, `buffer expects ${sizeOf(sizes)} values for ${formatShape(sizes)}, got ${init.length}`);
  });
}

function kept(
  factory: string,
  kind: Extract<LeafKind, "parameter" | "state">,
  name: string,
  shape: ParameterShape,
  initializer: (shape: Shape, path: string) => Initializer,
): Layer {
  if (typeof name !== "string" || !/^\w+$/.test(name)) {
    throw new InputError(`${factory}: expected a name of letters, digits and underscores, got ${shown(name)}`);
  }
  if (typeof shape !== "function") checkShape(factory, name, shape);
  const self = (x: Tensor): Tensor => {
    if (!isInstance(x, Tensor)) {
      throw new InputError(`${factory} "${name}": expected a tensor of the model, got ${kindOf(x)}; write ${name}(x)`);
    }
    const { graph } = x;
    const wanted = typeof shape === "function" ? shape(x) : shape;
    checkShape(factory, name, wanted);
    const known = graph.layerState.get(self) as Tensor | undefined;
    if (known !== undefined) {
      if (sameShape(known.shape, wanted)) return known;
      throw layerError(
        known.node.id,
        `${factory} was made with shape ${formatShape(known.shape)}, and cannot be used as ${formatShape(wanted)}; ` +
          "create a second one",
      );
    }
    const path = graph.layerPath(name);
    if ([...graph.leaves("parameter"), ...graph.leaves("state")].some(({ node }) => node.id === path)) {
      throw layerError(path, `another layer has a tensor of this name; wrap one of them in scope("name", layer)`);
    }
    const made = graph.leaf(kind, path, rowMajor(wanted, "f32"), initializer(wanted, path));
    graph.layerState.set(self, made);
    return made;
  };
  return self;
}

function checkShape(factory: string, name: string, shape: unknown): asserts shape is Shape {
  if (Array.isArray(shape) && shape.every((n) => Number.isSafeInteger(n) && n > 0)) return;
  throw new InputError(
    `${factory} "${name}": expected a shape such as [64], or a function that returns one, got ${shown(shape)}`,
  );
}

/** Key of a graph's memory of the file that a part of its model was read from. */
const FILE: object = {};

/** Notes that a part of a graph's model was read from a file. */
export function noteFile(graph: GraphBuilder, name: string): void {
  graph.layerState.set(FILE, name);
}

/** @throws {InputError} if a model that was read from a file is to be trained and has no parameters */
export function checkFileWeights(graph: GraphBuilder): void {
  const name = graph.layerState.get(FILE);
  if (name === undefined || graph.leaves("parameter").length > 0) return;
  throw new InputError(
    `model: it has no parameters to train: all tensors of ${name} are frozen or constant, "tacho onnx FILE --tensors" ` +
      'says why. Choose others by the options freeze and train of onnx(), add a layer, use mode "infer", or leave out ' +
      "the optimizer",
  );
}
