/**
 * Gradient of a convolution with respect to its input:
 *
 *     dx[n, c, i, j] = sum over o, ky, kx of weight[o, c, ky, kx] dy[n, o, p, q],  i = p stride - padding + ky dilation
 *
 * computed by gathering, with one dispatch per remainder of (i, j) modulo the stride (`kernels/conv_axis.ts`).
 *
 * @module
 */
import type { Shape } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { inPlanes } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { convCandidates } from "./conv_candidates.ts";
import { type ConvAttrs, convFlops, convGeometry } from "./conv_geometry.ts";

export interface ConvInputGradAttrs extends ConvAttrs {
  /** Shape of the forward op's input. */
  readonly inputShape: Shape;
}

/** Inputs: dy `[n, out, oh, ow]`, weight `[out, c / groups, kh, kw]`. Output: `[n, c, h, w]`. */
export const conv2dInputGradOp: OpDef<ConvInputGradAttrs> = {
  type: "conv2d_input_grad",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "cudnnConvolutionBackwardData", paddle: "conv2d_grad", mindinsight: "Conv2DBackpropInput" },
  shape: ([dy], attrs) => [{ ...dy!, shape: attrs.inputShape }],
  cost: ([dy, weight], [dx], attrs) => ({
    flops: convFlops(convGeometry(attrs.inputShape, weight!.shape, attrs)),
    bytes: bytesOf(dy!, weight!, dx!),
  }),
  candidates({ inputs: [dy, weight], outputs: [dx], attrs, traits }) {
    return convCandidates({
      name: "conv2d.input_grad",
      source: floatBuffer({ input: 0 }, dy!),
      weight: floatBuffer({ input: 1 }, weight!),
      bias: null,
      target: floatBuffer({ output: 0 }, dx!),
      geometry: convGeometry(attrs.inputShape, weight!.shape, attrs),
      direction: "input_grad",
      planes: inPlanes(dy!),
      traits,
    });
  },
};

/** Adds the gradient of `conv2d(x, weight)` with respect to x, whose shape is `attrs.inputShape`. */
export function conv2dInputGrad(dy: Tensor, weight: Tensor, attrs: ConvInputGradAttrs): Tensor {
  return dy.graph.apply(conv2dInputGradOp, attrs, [dy, weight], "input_grad")[0]!;
}
