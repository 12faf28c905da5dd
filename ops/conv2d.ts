/**
 * Two-dimensional convolution (cross-correlation, as PyTorch's `conv2d`):
 *
 *     y[n, o, i, j] = bias[o] + sum over c, ky, kx of
 *                     weight[o, c, ky, kx] x[n, group(o) C + c, i stride - padding + ky dilation, j stride - ...]
 *
 * with `C = in / groups` and x zero outside the image.
 *
 * @module
 */

import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { inPlanes, type TensorType } from "../runtime/graph/types.ts";
import { biasGrad } from "./bias_grad.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { type ConvAttrs, convFlops, convGeometry, convOutputShape } from "./conv_geometry.ts";
import { convCandidates, weightGradCandidates } from "./conv_candidates.ts";
import { asImages } from "./to_layout.ts";

export type { ConvAttrs } from "./conv_geometry.ts";

/** Inputs: x `[n, c, h, w]`, weight `[out, c / groups, kh, kw]`, optional bias `[out]`. Output: `[n, out, oh, ow]`. */
export const conv2dOp: OpDef<ConvAttrs> = {
  type: "conv2d",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "cudnnConvForward", nnc: "Convolution", mindinsight: "Conv2D" },
  shape([x, weight, bias], attrs) {
    const shape = convOutputShape(x!, weight!, attrs);
    if (bias !== undefined && (bias.shape.length !== 1 || bias.shape[0] !== shape[1])) {
      throw new InputError(
        `Expected a bias [${shape[1]}] for weight ${formatShape(weight!.shape)}, got ${formatShape(bias.shape)}; ` +
          `give it one number per output channel`,
      );
    }
    return [{ ...x!, shape }];
  },
  cost: ([x, weight, bias], [y], attrs) => ({
    flops: convFlops(convGeometry(x!.shape, weight!.shape, attrs)),
    bytes: bytesOf(x!, weight!, bias, y!),
  }),
  gradient(node, [dy], needs) {
    const [x, weight] = node.inputs;
    if (dy == null) return node.inputs.map(() => null);
    return [
      needs[0] ? conv2dInputGrad(dy, weight!, { ...node.attrs, inputShape: x!.shape }) : null,
      needs[1] ? conv2dWeightGrad(x!, dy, { ...node.attrs, weight: weight!.type }) : null,
      ...(node.inputs.length > 2 ? [needs[2] ? biasGrad(dy, node.inputs[2]!.type) : null] : []),
    ];
  },
  candidates(context) {
    const { inputs: [x, weight, bias], outputs: [y], attrs, traits, epilogue } = context;
    return convCandidates({
      name: "conv2d.forward",
      source: floatBuffer({ input: 0 }, x!),
      weight: floatBuffer({ input: 1 }, weight!),
      bias: bias === undefined ? null : floatBuffer({ input: 2 }, bias),
      target: { ...floatBuffer({ output: 0 }, y!), epilogue },
      geometry: convGeometry(x!.shape, weight!.shape, attrs),
      direction: "forward",
      planes: inPlanes(x!),
      traits,
    });
  },
};

/** Adds a convolution. A `bias` of `null` adds none. */
export function conv2d(x: Tensor, weight: Tensor, bias: Tensor | null, attrs: ConvAttrs): Tensor {
  const images = asImages(x);
  const inputs = bias === null ? [images, weight] : [images, weight, bias];
  return x.graph.apply(conv2dOp, attrs, inputs)[0]!;
}

export interface ConvInputGradAttrs extends ConvAttrs {
  /** Shape of the forward op's input. */
  readonly inputShape: Shape;
}

/**
 * Gradient of a convolution with respect to its input:
 *
 *     dx[n, c, i, j] = sum over o, ky, kx of weight[o, c, ky, kx] dy[n, o, p, q],  i = p stride - padding + ky dilation
 *
 * computed by gathering, with one dispatch per remainder of (i, j) modulo the stride (`kernels/conv_axis.ts`).
 * Inputs: dy `[n, out, oh, ow]`, weight `[out, c / groups, kh, kw]`. Output: `[n, c, h, w]`.
 */
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

interface ConvWeightGradAttrs extends ConvAttrs {
  /** Type of the forward op's weight. */
  readonly weight: TensorType;
}

/**
 * Gradient of a convolution with respect to its weight:
 *
 *     dW[o, c, ky, kx] = sum over n, i, j of dy[n, o, i, j] x[n, group(o) C + c, i stride - padding + ky dilation, ...]
 *
 * Inputs: x `[n, c, h, w]`, dy `[n, out, oh, ow]`. Output: `[out, c / groups, kh, kw]` of the weight's type.
 */
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
