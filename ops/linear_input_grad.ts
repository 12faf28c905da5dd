/**
 * Gradient of a fully connected layer with respect to its input: `dx = dy weight`.
 *
 * @module
 */
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { featuresOf } from "./kernels/linear_weight.ts";
import { matmulPlans } from "./kernels/matmul_plan.ts";

/** Inputs: dy `[..., out]`, weight `[out, in]` or `[in, out]`. Output: `[..., in]`. */
export const linearInputGradOp: OpDef<null> = {
  type: "linear_input_grad",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "GEMM", paddle: "fc_grad", mindinsight: "MatMul" },
  shape: ([dy, weight]) => [rowMajor([...dy!.shape.slice(0, -1), featuresOf(weight!).into], dy!.dtype)],
  cost: ([dy, weight], [dx]) => ({
    flops: 2 * sizeOf(dy!.shape) * featuresOf(weight!).into,
    bytes: bytesOf(dy!, weight!, dx!),
  }),
  candidates: ({ inputs: [dy, weight], outputs: [dx], traits }) =>
    matmulPlans({
      name: "linear.input_grad",
      a: { ...floatBuffer({ input: 0 }, dy!), order: "rows", batched: false },
      b: { ...floatBuffer({ input: 1 }, weight!), order: "columns", batched: false },
      bias: null,
      c: floatBuffer({ output: 0 }, dx!),
      batch: 1,
      m: sizeOf(dy!.shape.slice(0, -1)),
      n: featuresOf(weight!).into,
      k: featuresOf(weight!).out,
      sumBatch: false,
    }, traits),
};

/** Adds the gradient of `linear(x, weight)` with respect to x. */
export function linearInputGrad(dy: Tensor, weight: Tensor): Tensor {
  return dy.graph.apply(linearInputGradOp, null, [dy, weight], "input_grad")[0]!;
}
