/**
 * Gradient of a convolution with respect to its weight:
 *
 *     dW[o, c, ky, kx] = sum over n, i, j of dy[n, o, i, j] x[n, group(o) C + c, i stride - padding + ky dilation, ...]
 *
 * @module
 */
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { inPlanes, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { type ConvAttrs, convFlops, convGeometry } from "./conv_geometry.ts";
import { weightGradCandidates } from "./conv_weight_grad_candidates.ts";

export interface ConvWeightGradAttrs extends ConvAttrs {
  /** Type of the forward op's weight. */
  readonly weight: TensorType;
}

/** Inputs: x `[n, c, h, w]`, dy `[n, out, oh, ow]`. Output: `[out, c / groups, kh, kw]` of the weight's type. */
export const conv2dWeightGradOp: OpDef<ConvWeightGradAttrs> = {
  type: "conv2d_weight_grad",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "cudnnConvolutionBackwardFilter", paddle: "conv2d_grad", mindinsight: "Conv2DBackpropFilter" },
  shape: (_inputs, attrs) => [attrs.weight],
  cost: ([x, dy], [dw], attrs) => ({
    flops: convFlops(convGeometry(x!.shape, attrs.weight.shape, attrs)),
    bytes: bytesOf(x!, dy!, dw!),
  }),
  candidates({ inputs: [x, dy], outputs: [dw], attrs, traits }) {
    return weightGradCandidates({
      name: "conv2d.weight_grad",
      x: floatBuffer({ input: 0 }, x!),
      dy: floatBuffer({ input: 1 }, dy!),
      target: floatBuffer({ output: 0 }, dw!),
      geometry: convGeometry(x!.shape, attrs.weight.shape, attrs),
      planes: inPlanes(x!),
      traits,
    });
  },
};

/** Adds the gradient of `conv2d(x, weight)` with respect to the weight, whose type is `attrs.weight`. */
export function conv2dWeightGrad(x: Tensor, dy: Tensor, attrs: ConvWeightGradAttrs): Tensor {
  return x.graph.apply(conv2dWeightGradOp, attrs, [x, dy], "weight_grad")[0]!;
}
