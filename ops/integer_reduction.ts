import { sizeOf } from "../runtime/core/shape.ts";
import { defineKernel, LINEAR_INDEX, linearGrid } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { stepLoop, stepOfRow } from "./kernels/loop_limit.ts";
import { axesOf, type ReductionOptions } from "./reduction.ts";
import { reshape } from "./reshape.ts";
import { toLayout } from "./to_layout.ts";
import { transpose } from "./transpose.ts";

/** Start and step of each reduction in WGSL. */
const STEPS = {
  sum: ["0", "total + x"],
  product: ["1", "total * x"],
  max: ["-2147483647 - 1", "max(total, x)"],
  min: ["2147483647", "min(total, x)"],
} as const;

export type IntegerReduction = keyof typeof STEPS;

export interface IntegerReductionAttrs {
  readonly reduce: IntegerReduction;
}

/** Invocations per workgroup. */
const LANES = 64;
/** Longest row that an invocation reduces alone if it can be divided. */
const LONG = 1024;

/** Reduces each row of integers to one, exactly in 32 bits, without a gradient. Input: x i32 `[..., n]`. */
export const integerReductionOp: OpDef<IntegerReductionAttrs> = {
  type: "integer_reduction",
  precision: "fixed",
  shape: ([x]) => [rowMajor(x!.shape.slice(0, -1), "i32")],
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs: [x], attrs: { reduce }, traits }) {
    const length = x!.shape.at(-1)!;
    const rows = sizeOf(x!.shape) / length;
    const step = stepOfRow(length, 1, traits);
    const [start, next] = STEPS[reduce];
    const name = `integer.${reduce}${step === 1 ? "" : `.by${step}`}`;
    const kernel = defineKernel({
      name,
      buffers: { x_: { ref: { input: 0 }, type: "i32" }, y_: { ref: { output: 0 }, type: "i32" } },
      uniforms: { rows, length },
      workgroupSize: [LANES],
      grid: linearGrid(rows, LANES, traits.maxWorkgroupsPerDimension),
      body: `  let row = ${LINEAR_INDEX(LANES)};
  if (row >= u.rows) { return; }
  var total = ${start};
  ${
        stepLoop({ first: "0u", by: "1u", end: "u.length", step }, (k) =>
          `if (${k} < u.length) {
    let x = x_[row * u.length + ${k}];
    total = ${next};
  }`)
      }
  y_[row] = total;`,
    });
    return [{ name, kernels: [kernel], workspace: [] }];
  },
};

/** Returns the sum, product or an extreme of i32 elements over axes. */
export function reduceIntegers(x: Tensor, reduce: IntegerReduction, { axes, keepDims }: ReductionOptions): Tensor {
  const { shape } = x;
  const reduced = axesOf(reduce, shape, axes);
  const kept = [...shape.keys()].filter((d) => !reduced.includes(d));
  const length = sizeOf(reduced.map((d) => shape[d]!));
  const rows = transpose(isImages(x.type) ? toLayout(x, "row") : x, [...kept, ...reduced]);
  const total = overRows(reshape(rows, [sizeOf(shape) / length, length]), reduce);
  return reshape(
    total,
    keepDims === true ? shape.map((n, d) => reduced.includes(d) ? 1 : n) : kept.map((d) => shape[d]!),
  );
}

/** Reduces rows, long ones in parts. */
function overRows(x: Tensor, reduce: IntegerReduction): Tensor {
  const [rows, length] = x.shape as [number, number];
  const whole = (input: Tensor) => input.graph.apply(integerReductionOp, { reduce }, [input])[0]!;
  if (length <= LONG) return whole(x);
  let part = LONG;
  while (length % part !== 0) part--;
  return part < 8 ? whole(x) : overRows(whole(reshape(x, [rows, length / part, part])), reduce);
}
