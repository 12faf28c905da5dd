/**
 * A layer is a function from symbolic tensor to symbolic tensor. Those that Tacho makes, and those that `layer()` wraps,
 * carry a mark, so that a model can be told from a function that makes one.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { formatShape, type Shape } from "../core/shape.ts";
import { Tensor } from "../graph/op.ts";

/** Adds the nodes that compute its output to the input's graph. */
export type Layer = (x: Tensor) => Tensor;

/** What a marked layer says about itself. */
export interface LayerInfo {
  /** The factory that made it, such as `conv2d`; `layer` for a user's own function. */
  readonly type: string;
  /** It is one layer, which takes the name of the scope it stands in as its own; others add to it. */
  readonly leaf: boolean;
  /** What reports call it, such as `resnet20`. */
  readonly title?: string;
}

const mark: unique symbol = Symbol("tacho.layer");

/** What tells a layer from any other function. */
export interface LayerMark {
  readonly [mark]: LayerInfo;
}

/** A layer that is known to be one. */
export interface MarkedLayer extends LayerMark {
  (x: Tensor): Tensor;
}

/** Wraps `build` as a layer with the given mark; its input and its result are checked. */
export function markedLayer(info: LayerInfo, build: Layer): MarkedLayer {
  const apply = (x: Tensor): Tensor => {
    if (!(x instanceof Tensor)) throw new InputError(`${info.type}: expected a tensor as input, got ${kindOf(x)}`);
    const y: unknown = build(x);
    if (!(y instanceof Tensor)) {
      throw new InputError(
        `${info.type}: expected the layer to return a tensor, got ${kindOf(y)}; ` +
          `a layer is a function such as layer((x) => relu()(x))`,
      );
    }
    return y;
  };
  return Object.assign(apply, { [mark]: Object.freeze(info) });
}

/**
 * A user's own layer, such as a block with a branch:
 *
 * ```ts
 * const residual = (body: Layer) => layer((x) => relu()(add(body(x), x)));
 * ```
 *
 * Layers that are made inside of `build` are new at each application; to share weights make them outside.
 *
 * @param title what reports call it
 */
export function layer(build: Layer, title?: string): MarkedLayer {
  if (typeof build !== "function") {
    throw new InputError(`layer: expected a function from tensor to tensor, got ${kindOf(build)}`);
  }
  return markedLayer({ type: "layer", leaf: false, ...(title === undefined ? {} : { title }) }, build);
}

export function isLayer(value: unknown): value is MarkedLayer {
  return typeof value === "function" && mark in value;
}

/** The mark of a layer, or `null` for a function that has none. */
export function layerInfo(value: LayerMark | Layer): LayerInfo | null {
  return mark in value ? value[mark] : null;
}

/** The error for a layer at `path` of the model. */
export function layerError(path: string, message: string): InputError {
  return new InputError(`model: layer "${path}": ${message}`);
}

/** A shape with the names of its dimensions where they help: `[32, 3, 32, 32] (n, c, h, w)`. */
export function namedShape(shape: Shape): string {
  return `${formatShape(shape)}${shape.length === 4 ? " (n, c, h, w)" : shape.length === 2 ? " (n, features)" : ""}`;
}

/** What a value is, for an error message. */
export function kindOf(value: unknown): string {
  if (isLayer(value)) return "a layer";
  if (value instanceof Tensor) return "a tensor";
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
