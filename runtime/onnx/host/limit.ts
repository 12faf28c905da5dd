import { InputError } from "../../core/errors.ts";

/** Most elements of a constant that is computed when a model is built. */
const MOST_ELEMENTS = 1 << 25;

/**
 * Returns a number of elements.
 *
 * @throws {InputError} if no constant can have so many
 */
export function limited(elements: number): number {
  if (Number.isSafeInteger(elements) && elements >= 0 && elements <= MOST_ELEMENTS) return elements;
  throw new InputError(`needs a constant of ${elements} elements; expected at most ${MOST_ELEMENTS}`);
}
