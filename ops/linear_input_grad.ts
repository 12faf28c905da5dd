/**
 * Gradient of a fully connected layer with respect to its input: `dx = dy weight`.
 *
 * @module
 */
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { matmulPlans } from "./kernels/matmul_plan.ts";

/** Inputs: dy `[..., out]`, weight `[out, in]`. Output: `[..., in]`. */
export const linearInputGradOp: OpDef<null> = {
  type: "linear_input_grad",
  precision: "compute",
  roles: ["product"],
  shape: ([dy, weight]) => [rowMajor([...dy!.shape.slice(0, -1), weight!.shape[1]!], dy!.dtype)],
  cost: ([dy, weight], [dx]) => ({
    flops: 2 * sizeOf(dy!.shape) * weight!.shape[1]!,
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
      n: weight!.shape[1]!,
      k: weight!.shape[0]!,
      sumBatch: false,
    }, traits),
};

/** Adds the gradient of `linear(x, weight)` with respect to x. */
export function linearInputGrad(dy: Tensor, weight: Tensor): Tensor {
  return dy.graph.apply(linearInputGradOp, null, [dy, weight], "input_grad")[0]!;
}
