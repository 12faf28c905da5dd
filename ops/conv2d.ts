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
import { formatShape } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { inPlanes } from "../runtime/graph/types.ts";
import { biasGrad } from "./bias_grad.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { type ConvAttrs, convFlops, convGeometry, convOutputShape } from "./conv_geometry.ts";
import { convCandidates } from "./conv_candidates.ts";
import { conv2dInputGrad } from "./conv2d_input_grad.ts";
import { conv2dWeightGrad } from "./conv2d_weight_grad.ts";
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
