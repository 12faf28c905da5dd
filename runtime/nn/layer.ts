/**
 * Layers: functions from symbolic tensor to symbolic tensor. Tacho's layers and those wrapped by `layer()` carry a mark, which
 * distinguishes a model from a function that returns one.
 *
 * @module
 */
import { InputError, TachoError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { formatShape, type Shape } from "../core/shape.ts";
import { namedReasonOf } from "../core/shown.ts";
import { Tensor } from "../graph/op.ts";

/** A layer: adds the nodes that compute its output to the graph of its input. */
export type Layer = (x: Tensor) => Tensor;

/** Description of a marked layer. */
export interface LayerInfo {
  /** Factory that created it, such as `conv2d`; `layer` for a user's function. */
  readonly type: string;
  /** True for a single layer, which takes the name of its scope; others extend the path. */
  readonly leaf: boolean;
  /** True for a model that takes a record of tensors. */
  readonly record?: boolean;
  /** Name in reports, such as `resnet20`. */
  readonly title?: string;
  /** Files that the model was read from. */
  readonly files?: readonly string[];
}

const mark: unique symbol = Symbol("tacho.layer");

/** Mark that distinguishes a layer from other functions. */
export interface LayerMark {
  readonly [mark]: LayerInfo;
}

/** A layer that carries the mark. */
export interface MarkedLayer extends LayerMark {
  (x: Tensor): Tensor;
}

/** Marks `build` as a layer, and checks its input and its result. */
export function markedLayer(info: LayerInfo, build: Layer): MarkedLayer {
  const apply = (x: Tensor): Tensor => {
    if (!isInstance(x, Tensor)) throw new InputError(`${info.type}: expected a tensor as input, got ${kindOf(x)}`);
    const y: unknown = build(x);
    if (!isInstance(y, Tensor)) {
      throw new InputError(
        `${info.type}: expected the layer to return a tensor, got ${kindOf(y)}; ` +
          `a layer is a function such as layer((x) => relu()(x))`,
      );
    }
    return y;
  };
  return markLayer(apply, info);
}

/** Adds the mark to a function. */
export function markLayer<F extends object>(apply: F, info: LayerInfo): F & LayerMark {
  return Object.assign(apply, { [mark]: Object.freeze(info) });
}

/**
 * Creates a layer from a function, such as a block with a branch. Layers created inside `build` are new in each application;
 * create them outside to share weights.
 *
 * @example
 * ```ts
 * import { add, conv2d, type Layer, layer, relu } from "@tacho/tacho";
 *
 * const residual = (body: Layer) => layer((x) => relu()(add(body(x), x)));
 * const block = residual(conv2d(16, { kernel: 3, padding: "same" }));
 * ```
 *
 * @param title name in reports
 * @throws {InputError} if `build` is not a function; on application, if it does not return a tensor
 */
export function layer(build: Layer, title?: string): MarkedLayer {
  if (typeof build !== "function") {
    throw new InputError(`layer: expected a function from tensor to tensor, got ${kindOf(build)}`);
  }
  return markedLayer({ type: "layer", leaf: false, ...(title === undefined ? {} : { title }) }, build);
}

/** Returns true for a marked layer. */
export function isLayer(value: unknown): value is MarkedLayer {
  try {
    return typeof value === "function" && mark in value;
  } catch {
    return false; // a revoked proxy
  }
}

/** Returns the description of a layer, or null for an unmarked function. */
export function layerInfo(value: LayerMark | Layer): LayerInfo | null {
  return mark in value ? value[mark] : null;
}

/** Returns the files that layers were read from, as the part of a description; empty if there are none. */
export function filesOf(layers: readonly Layer[]): Pick<LayerInfo, "files"> {
  const files = layers.flatMap((child) => layerInfo(child)?.files ?? []);
  return files.length === 0 ? {} : { files: [...new Set(files)] };
}

/** Error for a factory of layers that is applied to a tensor, such as `gelu` in place of `gelu()`. */
export class UncalledError extends InputError {
  constructor(factory: string) {
    super(`${factory} makes a layer, but got a tensor; write ${factory}(...), or ${factory}(...)(x) to apply it`);
  }
}

/** Creates the error for a layer at `path` in the model. */
export function layerError(path: string, message: string): InputError {
  return new InputError(`model: layer "${path}": ${message}`);
}

/**
 * Returns an error with the layer's path in front, unless it begins with a place: that of a layer inside, or of an own op.
 * Other errors come from the script's own code in the layer.
 */
export function placed(error: unknown, fail: (message: string) => Error): unknown {
  if (isInstance(error, InputError)) {
    return /^(model: |(op|parameter|buffer) ")/.test(error.message) ? error : fail(error.message);
  }
  if (isInstance(error, TachoError)) return error;
  const failure = fail(`failed: ${namedReasonOf(error)}`);
  failure.cause = error;
  return failure;
}

/** Formats a shape with the names of its dimensions if known: `[32, 3, 32, 32] (n, c, h, w)`. */
export function namedShape(shape: Shape): string {
  return `${formatShape(shape)}${shape.length === 4 ? " (n, c, h, w)" : shape.length === 2 ? " (n, features)" : ""}`;
}

/** Describes a value's type for an error message. */
export function kindOf(value: unknown): string {
  if (isLayer(value)) return "a layer";
  if (value === null || value === undefined) return String(value);
  try {
    if (isInstance(value, Tensor)) return "a tensor";
    if (Array.isArray(value)) return "a list";
  } catch {
    return "an unreadable object";
  }
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
