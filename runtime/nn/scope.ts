import { InputError } from "../core/errors.ts";
import type { Tensor } from "../graph/op.ts";
import { kindOf, type Layer, layerInfo, type MarkedLayer, markedLayer } from "./layer.ts";

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
  return markedLayer({ type: "scope", leaf: false }, (x) => applyChild(name, layer, x));
}

/** Applies `layer` in the scope `name`. A leaf takes the name of the scope. */
export function applyChild(name: string, layer: Layer, x: Tensor): Tensor {
  return x.graph.scope(name, () => layer(x), { single: layerInfo(layer)?.leaf ?? false });
}

/**
 * Checks a child and its name.
 *
 * @throws {InputError} if the name is invalid, or the child is not a layer
 */
export function checkChild(type: string, name: unknown, layer: unknown): void {
  if (typeof name !== "string" || !NAME.test(name)) {
    throw new InputError(
      `${type}: expected a name of letters, digits and underscores, got ${JSON.stringify(name) ?? kindOf(name)}`,
    );
  }
  if (typeof layer !== "function") {
    throw new InputError(`${type}: expected a layer under "${name}", got ${kindOf(layer)}`);
  }
}
