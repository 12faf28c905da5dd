import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { clipped, shown } from "../core/shown.ts";
import { ForeignTensorError, Tensor } from "../graph/op.ts";
import {
  filesOf,
  isLayer,
  kindOf,
  type Layer,
  layerError,
  layerInfo,
  type MarkedLayer,
  markedLayer,
  placed,
} from "./layer.ts";

const NAME = /^\w+(\.\w+)*$/;

/**
 * Adds `name` to the path of everything inside `layer`: `scope("stem", conv2d(16, { kernel: 3 }))` has the parameter
 * `stem.weight`, `scope("stem", sequential({ conv1: ... }))` has `stem.conv1.weight`.
 *
 * @param name letters, digits and underscores; dots separate parts
 * @throws {InputError} if the name is invalid, or `layer` is not a layer
 */
export function scope(name: string, layer: Layer): MarkedLayer {
  checkChild("scope", name, layer);
  return markedLayer({ type: "scope", leaf: false, ...filesOf([layer]) }, (x) => applyChild(name, layer, x));
}

/**
 * Applies `layer` in the scope `name`. A leaf takes the name of the scope.
 *
 * @throws {InputError} with the layer's path, if it is a factory of layers, or does not return a tensor of this graph
 */
export function applyChild(name: string, layer: Layer, x: Tensor): Tensor {
  const fail = (message: string) =>
    layerError(x.graph.scope(name, () => x.graph.layerPath(""), { single: true }), message);
  let y: unknown;
  try {
    y = x.graph.scope(name, () => layer(x), { single: layerInfo(layer)?.leaf ?? false });
  } catch (error) {
    if (isInstance(error, ForeignTensorError)) throw fail(ForeignTensorError.reason);
    throw placed(error, fail);
  }
  if (isInstance(y, Tensor)) {
    if (y.graph !== x.graph) throw fail(ForeignTensorError.reason);
    return y;
  }
  if (isLayer(y) && layer.length === 0) {
    throw fail(`${layer.name} makes a layer; write ${layer.name}() instead of ${layer.name}`);
  }
  throw fail(
    `expected the function to return a tensor, got ${kindOf(y)}` +
      (isLayer(y) ? "; apply that layer, as in relu()(x)" : ""),
  );
}

/**
 * Checks a child and its name.
 *
 * @throws {InputError} if the name is invalid, or the child is not a layer
 */
export function checkChild(type: string, name: unknown, layer: unknown): void {
  if (typeof name !== "string" || !NAME.test(name)) {
    throw new InputError(
      `${type}: expected a name of letters, digits and underscores, got ${
        name === undefined ? "undefined" : shown(name)
      }`,
    );
  }
  if (typeof layer !== "function") {
    throw new InputError(`${type}: expected a layer under "${clipped(name)}", got ${kindOf(layer)}`);
  }
}
