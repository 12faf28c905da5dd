/**
 * Gradient of a bias: `db[c] = sum of dy over all dimensions but the channel's`, in two stages so that the whole device
 * participates. The channel is dimension 1 of images and the last dimension otherwise.
 *
 * @module
 */
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { biasSumPlan } from "./kernels/bias_activation_grad.ts";
import { placeWidth, rowsOf } from "./kernels/channel_rows.ts";
import { variantName } from "./kernels/tensors.ts";

export interface BiasGradAttrs {
  /** Type of the forward op's bias. */
  readonly bias: TensorType;
}

/** Input: dy, `[n, c, h, w]` or `[..., c]`. Output: `[c]` of the bias's type. */
export const biasGradOp: OpDef<BiasGradAttrs> = {
  type: "bias_grad",
  precision: "compute",
  aliases: { singa: "cudnnConvolutionBackwardBias", paddle: "elementwise_add_grad", mindinsight: "BiasAddGrad" },
  shape: (_inputs, attrs) => [attrs.bias],
  cost: ([dy], [db]) => ({ flops: sizeOf(dy!.shape), bytes: bytesOf(dy!, db!) }),
  candidates({ inputs: [dy], outputs: [db], traits }) {
    const columns = sizeOf(db!.shape);
    const source = floatBuffer({ input: 0 }, dy!);
    const target = floatBuffer({ output: 0 }, db!);
    const matrix = rowsOf(dy!, columns, traits);
    return [biasSumPlan({
      name: `bias_grad.sums.${variantName({ source, target }, placeWidth(matrix))}`,
      shape: matrix,
      traits,
      db: target,
      reads: { dy: source },
      writes: {},
      each: ({ sum }) => `${sum} += dy;`,
    })];
  },
};

/** The same for rows, whose bias SINGA's sum of rows multiplies by ones. */
const rowBiasGradOp: OpDef<BiasGradAttrs> = { ...biasGradOp, aliases: { ...biasGradOp.aliases, singa: "GEMV" } };

/** Returns the gradient op of a bias that was added to images or to rows of `dy`'s shape. */
export function biasGradOf(dy: Tensor): OpDef<BiasGradAttrs> {
  return dy.type.shape.length === 4 ? biasGradOp : rowBiasGradOp;
}

/** Adds the gradient of a bias of type `bias`. */
export function biasGrad(dy: Tensor, bias: TensorType): Tensor {
  return dy.graph.apply(biasGradOf(dy), { bias }, [dy], "bias_grad")[0]!;
}
