import { DTYPE_BYTES } from "../runtime/core/dtype.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { defineKernel } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { vectorLoop } from "./kernels/elementwise.ts";

/** Copies a tensor of any type bit for bit; dx = dy. Input: x. */
export const copyOp: OpDef<NoAttrs> = {
  type: "copy",
  precision: "fixed",
  aliases: { nnc: "Identity", paddle: "assign", mindinsight: "TensorMove" },
  shape: ([x]) => [x!],
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (_node, [dy]) => [dy ?? null],
  candidates({ inputs, traits }) {
    const vectors = Math.ceil(sizeOf(inputs[0]!.shape) * DTYPE_BYTES[inputs[0]!.dtype] / 16);
    const kernel = defineKernel({
      name: "copy",
      buffers: { x: { ref: { input: 0 }, type: "vec4<u32>" }, y: { ref: { output: 0 }, type: "vec4<u32>" } },
      ...vectorLoop(vectors, traits, "y[i] = x[i];"),
    });
    return [{ name: kernel.name, kernels: [kernel], workspace: [] }];
  },
};

/** Copies `x` to its own buffer. */
export function copy(x: Tensor): Tensor {
  return x.graph.apply(copyOp, {}, [x])[0]!;
}
