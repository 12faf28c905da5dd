/**
 * Reductions that compare: largest and smallest elements, their places, and the logarithm of a sum of exponentials.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { div, mul, sub } from "./arithmetic.ts";
import { equal } from "./comparisons.ts";
import { exp } from "./exponential.ts";
import { isNan } from "./kernels/nan.ts";
import type { Reducer } from "./kernels/reducer.ts";
import { applyReduction, defineReduction, type ReductionAttrs, type ReductionOptions } from "./reduction.ts";
import { sum } from "./sum.ts";

/** Lowest finite f32; every finite element is at least as large. */
const LOWEST = "-0x1.fffffep+127";

/** Largest element over axes; the elements that equal it share its gradient equally. */
export const maxOp = defineReduction({
  type: "reduce_max",
  aliases: { nnc: "Max" },
  precision: "follow",
  reducer: () => extreme("max"),
  flops: 1,
  gradient: shared,
});

/** Smallest element over axes; the elements that equal it share its gradient equally. */
export const minOp = defineReduction({
  type: "reduce_min",
  aliases: { nnc: "Min" },
  precision: "follow",
  reducer: () => extreme("min"),
  flops: 1,
  gradient: shared,
});

/** log(sum of e^x) over axes, without overflow; dx = dy e^(x - y). */
export const logSumExpOp = defineReduction({
  type: "log_sum_exp",
  aliases: { paddle: "logsumexp" },
  reducer: () => ({
    name: "log_sum_exp",
    state: [
      { name: "largest", type: "f32", initial: LOWEST },
      { name: "powers", type: "f32", initial: "0.0" },
    ],
    // One of the two exponents is 0. Infinities are compared, since their difference is NaN
    step: "let distance = select(x - largest, vec4<f32>(), x == largest); let power = exp(-abs(distance)); " +
      "let higher = distance > vec4<f32>(); " +
      "powers = select(powers + power, powers * power + 1.0, higher); largest = max(largest, x);",
    merge: "let distance = select(largestB - largest, vec4<f32>(), largestB == largest); " +
      "let power = exp(-abs(distance)); let higher = distance > vec4<f32>(); " +
      "powers = select(powers + powersB * power, powers * power + powersB, higher); largest = max(largest, largestB);",
    result: "(largest + log(powers))",
  }),
  flops: 5,
  gradient: ({ dy, x, y }) => mul(dy, exp(sub(x, y))),
});

/** Index of the largest element over axes; the first of equal elements. Output: i32. */
export const argmaxOp = defineReduction({
  type: "argmax",
  precision: "follow",
  aliases: { nnc: "Max", paddle: "arg_max" },
  dtype: "i32",
  reducer: () => ({
    name: "argmax",
    placed: true,
    state: [
      { name: "largest", type: "f32", initial: LOWEST },
      { name: "place", type: "u32", initial: "0xffffffffu" },
    ],
    step: `let better = (x > largest) | (place == vec4<u32>(0xffffffffu)) | (${isNan("x")} & !${isNan("largest")}); ` +
      "largest = select(largest, x, better); place = select(place, at, better);",
    merge: "let better = (placeB != vec4<u32>(0xffffffffu)) & " +
      "((largestB > largest) | ((largestB == largest) & (placeB < place)) | (place == vec4<u32>(0xffffffffu)) | " +
      `(${isNan("largestB")} & (!${isNan("largest")} | (placeB < place)))); ` +
      "largest = select(largest, largestB, better); place = select(place, placeB, better);",
    result: "vec4<i32>(place)",
  }),
  flops: 1,
});

/** Returns the largest element over `axes`, NaN if one is NaN. */
export function max(x: Tensor, options: ReductionOptions = {}): Tensor {
  return applyReduction(maxOp, x, options);
}

/** Returns the smallest element over `axes`, NaN if one is NaN. */
export function min(x: Tensor, options: ReductionOptions = {}): Tensor {
  return applyReduction(minOp, x, options);
}

/** Returns the logarithm of the sum of e^x over `axes`. */
export function logSumExp(x: Tensor, options: ReductionOptions = {}): Tensor {
  return applyReduction(logSumExpOp, x, options);
}

/**
 * Returns the index, i32, of the largest element over `axes`, counted row by row over all of them: the first of equal
 * elements, or of NaN.
 */
export function argmax(x: Tensor, options: ReductionOptions = {}): Tensor {
  return applyReduction(argmaxOp, x, options, true);
}

/**
 * Returns the reducer of a largest or smallest number by keys: integers in the order of the numbers, of which those of
 * NaN wrap around to the end that wins. No number is compared as a float, which takes more instructions if NaN may not
 * be lost.
 */
function extreme(name: "max" | "min"): Reducer {
  const largest = name === "max";
  const reducer = (halves: boolean): Reducer => {
    // A half is followed by 16 arbitrary bits
    const [infinity, rest, nan] = halves ? [0x7c000000, 0xffff, 0x7e000000] : [0x7f800000, 0, 0x7fc00000];
    const word = (value: number) => `vec4<u32>(0x${(value >>> 0).toString(16)}u)`;
    // Keys before they are moved: numbers with a sign are inverted, the others follow
    const moved = largest ? 2 ** 31 - infinity - 1 - rest : infinity + rest + 2 ** 31 + 1;
    const last = largest ? infinity + rest + 2 ** 31 - moved : 2 ** 31 - infinity - 1 - rest - moved;
    const number = halves
      ? `vec4<f32>(${["x", "y", "z", "w"].map((i) => `unpack2x16float(bits.${i} >> 16u).x`).join(", ")})`
      : "bitcast<vec4<f32>>(bits)";
    return {
      name: `${name}${halves ? ".halves" : ""}`,
      state: [{ name: "best", type: "u32", initial: largest ? "0u" : "0xffffffffu" }],
      step: `${halves ? "" : "let bits = bitcast<vec4<u32>>(x); "}best = ${name}(best, keyOf(bits));`,
      merge: `best = ${name}(best, bestB);`,
      result: "extreme(best)",
      prelude: `fn keyOf(bits: vec4<u32>) -> vec4<u32> {
  let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(bits) >> vec4<u32>(31u));
  return (bits ^ (sign | ${word(2 ** 31)})) - ${word(moved)};
}
fn extreme(best: vec4<u32>) -> vec4<f32> {
  let key = best + ${word(moved)};
  let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(~key) >> vec4<u32>(31u));
  let bits = select(key ^ (sign | ${word(2 ** 31)}), ${word(nan)}, best ${largest ? ">" : "<"} ${word(last)});
  return ${number};
}`,
    };
  };
  return { ...reducer(false), halves: reducer(true) };
}

function shared({ dy, x, y }: { dy: Tensor; x: Tensor; y: Tensor }, { axes }: ReductionAttrs): Tensor {
  const chosen = equal(x, y);
  return mul(chosen, div(dy, sum(chosen, { axes, keepDims: true })));
}
