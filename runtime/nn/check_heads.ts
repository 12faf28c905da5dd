import { InputError } from "../core/errors.ts";

/** @throws {InputError} if the heads do not divide the width, or the heads of keys do not divide the heads */
export function checkHeads(model: string, width: number, heads: number, kvHeads = heads): void {
  if (width % heads !== 0) {
    throw new InputError(
      `${model}: expected heads that divide the width of ${width}, got ${heads}; change one of them`,
    );
  }
  if (heads % kvHeads !== 0) {
    throw new InputError(
      `${model}: expected kvHeads that divide the ${heads} heads, got ${kvHeads}; change one of them`,
    );
  }
}
