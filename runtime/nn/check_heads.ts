import { InputError } from "../core/errors.ts";

/** @throws {InputError} if the heads do not divide the width */
export function checkHeads(model: string, width: number, heads: number): void {
  if (width % heads !== 0) {
    throw new InputError(
      `${model}: expected heads that divide the width of ${width}, got ${heads}; change one of them`,
    );
  }
}

/** @throws {InputError} if the heads of keys do not divide the heads */
export function checkKeyHeads(model: string, heads: number, kvHeads: number): void {
  if (heads % kvHeads !== 0) {
    throw new InputError(
      `${model}: expected kvHeads that divide the ${heads} heads, got ${kvHeads}; change one of them`,
    );
  }
}
