import { physicalOrder } from "../runtime/core/layout.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { defineKernel, LINEAR_INDEX, linearGrid } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkFlag, checkOptions, checkTensors } from "./check_arguments.ts";
import { load, store, vectorWidth } from "./kernels/access.ts";
import { stepLoop, stepOfRow } from "./kernels/loop_limit.ts";
import { declare, floatOf, inputBuffer, outputBuffer } from "./kernels/tensors.ts";
import { axisOf } from "./reduction.ts";

export interface CumsumAttrs {
  readonly axis: number;
  /** Adds from the last element to the first. */
  readonly reverse: boolean;
  /** Leaves each element out of its own sum. */
  readonly exclusive: boolean;
}

/** Invocations per workgroup. */
const LANES = 64;

/**
 * Sums of the elements up to and with each along an axis, or without it, in f32, or in i32 for integers; dx = the same of
 * dy from the other end. Input: x.
 */
export const cumsumOp: OpDef<CumsumAttrs> = {
  type: "cumsum",
  precision: "wide",
  aliases: { nnc: "CumSum", mindinsight: "CumSum" },
  shape([x]) {
    if (x!.dtype !== "i32") floatOf(x!, "cumsum");
    return [x!];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0] || node.inputs[0]!.dtype === "i32") return [null];
    return dy.graph.apply(cumsumOp, { ...node.attrs, reverse: !node.attrs.reverse }, [dy]);
  },
  candidates({ inputs, outputs, attrs: { axis, reverse, exclusive }, traits }) {
    const { shape, layout } = inputs[0]!;
    const order = physicalOrder(shape, layout);
    const inside = sizeOf(order.slice(order.indexOf(axis) + 1).map((d) => shape[d]!));
    const width = vectorWidth(inside);
    const { dtype } = inputs[0]!;
    const { buffers, zero, read, write } = dtype === "i32" ? integers(width) : floats(inputs, outputs, width);
    const length = shape[axis]!;
    const lines = sizeOf(shape) / length / width;
    const step = stepOfRow(length, 1, traits);
    const name = `cumsum.${dtype}.x${width}${reverse ? ".reverse" : ""}${exclusive ? ".exclusive" : ""}${
      step === 1 ? "" : `.by${step}`
    }`;
    const kernel = defineKernel({
      name,
      buffers,
      uniforms: { lines, length, inside: inside / width },
      workgroupSize: [LANES],
      grid: linearGrid(lines, LANES, traits.maxWorkgroupsPerDimension),
      body: `  let line = ${LINEAR_INDEX(LANES)};
  if (line >= u.lines) { return; }
  let first = line / u.inside * u.inside * u.length + line % u.inside;
  var sum = ${zero};
  ${
        stepLoop({ first: "0u", by: "1u", end: "u.length", step }, (k) =>
          `if (${k} < u.length) {
    let i = first + ${reverse ? `(u.length - 1u - ${k})` : k} * u.inside;
    let element = ${read};
    ${exclusive ? write : ""}
    sum += element;
    ${exclusive ? "" : write}
  }`)
      }`,
    });
    return [{ name, kernels: [kernel], workspace: [] }];
  },
};

/** Returns the code that reads and writes floats. */
function floats(inputs: readonly TensorType[], outputs: readonly TensorType[], width: 1 | 4) {
  const [x, y] = [inputBuffer(inputs, 0), outputBuffer(outputs, 0)];
  return {
    buffers: { x_: declare(x, width), y_: declare(y, width) },
    zero: width === 4 ? "vec4<f32>()" : "0.0",
    read: load("x_", "i", x.dtype, width),
    write: store("y_", "i", "sum", y, width),
  };
}

/** Returns the code that reads and writes integers. */
function integers(width: 1 | 4) {
  const type = width === 4 ? "vec4<i32>" : "i32";
  return {
    buffers: { x_: { ref: { input: 0 }, type }, y_: { ref: { output: 0 }, type } },
    zero: `${type}()`,
    read: "x_[i]",
    write: "y_[i] = sum;",
  };
}

/**
 * Returns the sums along an axis of all elements up to and with each; with `reverse`, from each to the last; with
 * `exclusive`, without the element itself.
 */
export function cumsum(
  x: Tensor,
  axis: number,
  options: { readonly reverse?: boolean; readonly exclusive?: boolean } = {},
): Tensor {
  checkTensors("cumsum", [x]);
  checkOptions("cumsum", options, ["reverse", "exclusive"]);
  const { reverse = false, exclusive = false } = options;
  checkFlag("cumsum", "reverse", reverse);
  checkFlag("cumsum", "exclusive", exclusive);
  const attrs = { axis: axisOf("cumsum", x.shape, axis), reverse, exclusive };
  return x.graph.apply(cumsumOp, attrs, [x])[0]!;
}
