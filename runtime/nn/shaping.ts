import { flatten as toRows } from "../../ops/flatten.ts";
import { reshape as toShape } from "../../ops/reshape.ts";
import { InputError } from "../core/errors.ts";
import { type MarkedLayer, markedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";

/** `[n, ...]` -> `[n, product of the rest]`. */
export function flatten(): MarkedLayer {
  return plainLayer({ type: "flatten", apply: toRows });
}

/**
 * `[n, ...]` -> `[n, ...shape]`. One size may be -1 and is then what is left.
 *
 * @throws {InputError} if `shape` is no list of sizes; when it is applied, if the numbers of elements differ
 */
export function reshape(shape: readonly number[]): MarkedLayer {
  const valid = Array.isArray(shape) && shape.every((n) => Number.isInteger(n) && (n > 0 || n === -1)) &&
    shape.filter((n) => n === -1).length <= 1;
  if (!valid) {
    throw new InputError(
      `reshape: expected the sizes of one sample, positive whole numbers and at most one -1, got ${
        JSON.stringify(shape)
      }`,
    );
  }
  const sizes = [...shape];
  return plainLayer({ type: "reshape", apply: (x) => toShape(x, [x.shape[0]!, ...sizes]) });
}

/** The input itself: a shortcut without a projection. */
export function identity(): MarkedLayer {
  return markedLayer({ type: "identity", leaf: true }, (x) => x);
}
