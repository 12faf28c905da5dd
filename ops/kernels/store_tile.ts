/**
 * Stores of a tile of registers.
 *
 * @module
 */
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { HIDDEN_ZERO } from "./half_words.ts";
import { unroll } from "./unroll.ts";

/**
 * Returns WGSL that runs `each` for every row of a tile, in terms of the row's number and its variables, and may leave
 * other values in the variables. On GPUs the number is a constant. On software adapters a loop moves each row to the
 * variables of the first: a store takes 3 to 15 ms to compile there, and stores of all rows take as long as the
 * arithmetic. The compiler must not know the number of iterations, or it unrolls the loop.
 *
 * @param rows variables of each row, all of the same number
 */
export function forRows(
  traits: DeviceTraits,
  rows: readonly (readonly string[])[],
  each: (row: string, variables: readonly string[]) => string,
): string {
  if (traits.class !== "cpu" || rows.length < 3) return unroll(rows.length, (r) => each(`${r}u`, rows[r]!));
  const moved = rows.slice(1).flatMap((row, r) => row.map((name, i) => `${rows[r]![i]} = ${name};`));
  return `for (var t = 0u; t < ${rows.length}u + ${HIDDEN_ZERO}; t += 1u) {
${each("t", rows[0]!)}
${moved.join("\n")}
}`;
}

/** Returns the variables of a tile of `m` rows of `n`, such as `sum0_1`. */
export function sumRows(m: number, n: number): string[][] {
  return Array.from({ length: m }, (_, r) => Array.from({ length: n }, (_, i) => `sum${r}_${i}`));
}
