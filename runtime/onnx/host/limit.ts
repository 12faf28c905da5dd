import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import { spend } from "../budget.ts";

/**
 * Counts elements of constants that are read or made when a model is built, and returns their number.
 *
 * @throws {InputError} if the model's constants have too many
 */
export function limited(elements: number): number {
  spend("elements", Number.isSafeInteger(elements) && elements >= 0 ? elements : Infinity);
  return elements;
}

/** Like {@linkcode limited}, for the elements of a shape that a file gives or nodes compute. */
export function limitedSize(shape: Shape): number {
  if (shape.every((n) => n >= 0)) return limited(sizeOf(shape));
  throw new InputError(`needs a constant of the shape ${formatShape(shape)}; expected sizes of at least 0`);
}
