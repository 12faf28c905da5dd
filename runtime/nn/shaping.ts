import { flatten as toRows } from "../../ops/flatten.ts";
import { reshape as toShape } from "../../ops/reshape.ts";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { readable } from "../core/readable.ts";
import { shown } from "../core/shown.ts";
import { Tensor } from "../graph/op.ts";
import { type MarkedLayer, markedLayer, UncalledError } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { noOptions } from "./options.ts";

/** Creates a layer that flattens samples: `[n, ...]` to `[n, product of the rest]`. */
export function flatten(): MarkedLayer {
  noOptions("flatten", arguments);
  return plainLayer({ type: "flatten", apply: toRows });
}

/**
 * Creates a layer that reshapes samples: `[n, ...]` to `[n, ...shape]`. One size may be -1, which is inferred.
 *
 * @throws {InputError} if `shape` is not a list of sizes; on application, if the numbers of elements differ
 */
export function reshape(shape: readonly number[]): MarkedLayer;
/**
 * Returns the elements of `x` in another shape, which includes the batch dimension. One size may be -1, which is inferred.
 *
 * @throws {InputError} if the numbers of elements differ
 */
export function reshape(x: Tensor, shape: readonly number[]): Tensor;
export function reshape(x: Tensor | readonly number[], sizesOfTensor?: readonly number[]): MarkedLayer | Tensor {
  if (isInstance(x, Tensor)) {
    if (sizesOfTensor === undefined) throw new UncalledError("reshape");
    return toShape(x, sizesOfTensor);
  }
  const shape = readable(x, "reshape");
  const valid = Array.isArray(shape) && shape.every((n) => Number.isInteger(n) && (n > 0 || n === -1)) &&
    shape.filter((n) => n === -1).length <= 1;
  if (!valid) {
    throw new InputError(
      `reshape: expected the sizes of one sample, positive whole numbers and at most one -1, got ${shown(shape)}`,
    );
  }
  const sizes = [...shape];
  return plainLayer({ type: "reshape", apply: (x) => toShape(x, [x.shape[0]!, ...sizes]) });
}

/** Creates a layer that returns its input, such as a shortcut without a projection. */
export function identity(): MarkedLayer {
  noOptions("identity", arguments);
  return markedLayer({ type: "identity", leaf: true }, (x) => x);
}
