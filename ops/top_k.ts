import { InputError } from "../runtime/core/errors.ts";
import { isFloat } from "../runtime/core/dtype.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import { defineKernel, type KernelSpec } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkTensors } from "./check_arguments.ts";
import { vectorLoop } from "./kernels/elementwise.ts";
import { toLayout } from "./to_layout.ts";

export interface TopIndicesAttrs {
  readonly k: number;
  readonly largest: boolean;
}

/**
 * Places of the k largest or smallest elements of each row, in order, the first of equal ones first; NaN counts as larger
 * than all numbers. It sorts each row by merging neighbouring runs. Input: x `[..., n]`, of any type. Output: i32
 * `[..., k]`.
 */
export const topIndicesOp: OpDef<TopIndicesAttrs> = {
  type: "top_indices",
  precision: "fixed",
  aliases: { paddle: "top_k_v2", mindinsight: "TopK" },
  shape([x], { k }) {
    const n = x!.shape.at(-1);
    if (n !== undefined && Number.isInteger(k) && k >= 1 && k <= n) {
      return [rowMajor([...x!.shape.slice(0, -1), k], "i32")];
    }
    throw new InputError(`topIndices expects k from 1 to the length of the rows of ${formatShape(x!.shape)}, got ${k}`);
  },
  cost([x], outputs) {
    const n = x!.shape.at(-1)!;
    return { flops: sizeOf(x!.shape) * Math.ceil(Math.log2(n)), bytes: bytesOf(x!, ...outputs) };
  },
  candidates({ inputs: [x], outputs: [y], attrs: { k, largest }, traits }) {
    const length = x!.shape.at(-1)!;
    const size = sizeOf(x!.shape);
    const element = x!.dtype === "f16" ? "f32(x_[i])" : "x_[i]";
    // Keys ascend in the order of the result; both zeros have the same
    const key = isFloat(x!.dtype)
      ? `let bits = bitcast<u32>(${element});
    let size = bits & 0x7fffffffu;
    var key = select(bits | 0x80000000u, ~bits, bits > 0x80000000u);
    if (size > 0x7f800000u) { key = 0xffffffffu; }`
      : "let key = bitcast<u32>(x_[i]) ^ 0x80000000u;";
    const pair = (i: number) => ({ ref: { workspace: i % 2 }, type: "vec2<u32>" });
    const kernels: KernelSpec[] = [defineKernel({
      name: `top_indices.keys.${x!.dtype}${largest ? ".largest" : ""}`,
      buffers: { x_: { ref: { input: 0 }, type: x!.dtype }, to: pair(0) },
      ...vectorLoop(size, traits, `${key}\n    to[i] = vec2<u32>(${largest ? "~key" : "key"}, i % u.length);`, {
        length,
      }),
    })];
    for (let run = 1; run < length; run *= 2) {
      kernels.push(defineKernel({
        name: "top_indices.merge",
        buffers: { source: { ...pair(kernels.length - 1), access: "read" }, to: pair(kernels.length) },
        // The place of an element in two merged runs: its place in its own, and the number of elements of the other before it
        ...vectorLoop(
          size,
          traits,
          `let own = source[i];
    let row = i / u.length * u.length;
    let at = i - row;
    let first = at / (2u * u.run) * (2u * u.run);
    let middle = min(first + u.run, u.length);
    let isLeft = at < middle;
    let other = select(first, middle, isLeft);
    let otherEnd = select(middle, min(first + 2u * u.run, u.length), isLeft);
    var low = other;
    var high = otherEnd;
    while (low < high) {
      let half = (low + high) / 2u;
      let key = source[row + half].x;
      if (key < own.x || (key == own.x && !isLeft)) { low = half + 1u; } else { high = half; }
    }
    to[row + at - select(middle - first, 0u, isLeft) + low - other] = own;`,
          { length, run },
        ),
      }));
    }
    kernels.push(defineKernel({
      name: "top_indices.take",
      buffers: { source: { ...pair(kernels.length - 1), access: "read" }, y_: { ref: { output: 0 }, type: "i32" } },
      ...vectorLoop(sizeOf(y!.shape), traits, "y_[i] = i32(source[i / u.k * u.length + i % u.k].y);", { k, length }),
    }));
    const bytes = Math.ceil(size / 2) * 16;
    return [{ name: kernels[0]!.name, kernels, workspace: kernels.length > 2 ? [bytes, bytes] : [bytes] }];
  },
};

/**
 * Returns the places, i32 `[..., k]`, of the k largest elements of rows `[..., n]`, or of the smallest, in order. Of equal
 * elements the first comes first.
 *
 * @throws {InputError} unless k is from 1 to n
 */
export function topIndices(x: Tensor, k: number, options: { readonly largest?: boolean } = {}): Tensor {
  checkTensors("topIndices", [x]);
  const rows = isImages(x.type) ? toLayout(x, "row") : x;
  return x.graph.apply(topIndicesOp, { k, largest: options.largest ?? true }, [rows])[0]!;
}
