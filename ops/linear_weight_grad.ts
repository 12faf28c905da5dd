/**
 * Gradient of a fully connected layer with respect to its weight, summed over all dimensions but the last:
 * `dW[o, i] = sum of dy[..., o] x[..., i]`. In memory it is input-major, like the weight.
 *
 * @module
 */
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { matmulPlans } from "./kernels/matmul_plan.ts";

export interface LinearWeightGradAttrs {
  /** Type of the forward op's weight. */
  readonly weight: TensorType;
}

/** Inputs: x `[..., in]`, dy `[..., out]`. Output: the weight's type. */
export const linearWeightGradOp: OpDef<LinearWeightGradAttrs> = {
  type: "linear_weight_grad",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "GEMM", paddle: "fc_grad", mindinsight: "MatMul" },
  shape: (_inputs, attrs) => [attrs.weight],
  cost: ([x, dy], [dw]) => ({
    flops: 2 * sizeOf(x!.shape) * dy!.shape.at(-1)!,
    bytes: bytesOf(x!, dy!, dw!),
  }),
  candidates: ({ inputs: [x, dy], outputs: [dw], traits }) =>
    matmulPlans({
      name: "linear.weight_grad",
      a: { ...floatBuffer({ input: 0 }, x!), order: "columns", batched: false },
      b: { ...floatBuffer({ input: 1 }, dy!), order: "rows", batched: false },
      bias: null,
      c: floatBuffer({ output: 0 }, dw!),
      batch: 1,
      m: x!.shape.at(-1)!,
      n: dy!.shape.at(-1)!,
      k: sizeOf(x!.shape.slice(0, -1)),
      sumBatch: false,
    }, traits),
};

/** Adds the gradient of `linear(x, weight)` with respect to the weight. */
export function linearWeightGrad(x: Tensor, dy: Tensor, attrs: LinearWeightGradAttrs): Tensor {
  return x.graph.apply(linearWeightGradOp, attrs, [x, dy], "weight_grad")[0]!;
}
