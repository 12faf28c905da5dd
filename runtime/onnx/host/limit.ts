import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";

/** Most elements of a constant that is computed when a model is built. */
const MOST_ELEMENTS = 1 << 25;

/**
 * Returns a number of elements.
 *
 * @throws {InputError} if it is above the limit of a constant
 */
export function limited(elements: number): number {
  if (Number.isSafeInteger(elements) && elements >= 0 && elements <= MOST_ELEMENTS) return elements;
  throw new InputError(`needs a constant of ${elements} elements; expected at most ${MOST_ELEMENTS}`);
}

/**
 * Returns the number of elements of a shape that a file gives or nodes compute.
 *
 * @throws {InputError} if it is above the limit of a constant
 */
export function limitedSize(shape: Shape): number {
  if (shape.every((n) => n >= 0)) return limited(sizeOf(shape));
  throw new InputError(`needs a constant of the shape ${formatShape(shape)}; expected sizes of at least 0`);
}
