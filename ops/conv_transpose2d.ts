import { InputError } from "../runtime/core/errors.ts";
import { formatShape } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, isImages } from "../runtime/graph/types.ts";
import { conv2d, conv2dInputGradOp, conv2dWeightGrad, type ConvInputGradAttrs } from "./conv2d.ts";
import type { ConvAttrs, Pair } from "./conv_geometry.ts";
import { asImages } from "./to_layout.ts";

/**
 * Transposed convolution, as PyTorch's `conv_transpose2d`: the gradient of a convolution with respect to its input, by the
 * same kernels. Inputs: x `[n, in, h, w]`, weight `[in, out / groups, kh, kw]`. Output: `[n, out, oh, ow]`.
 */
export const convTranspose2dOp: OpDef<ConvInputGradAttrs> = {
  ...conv2dInputGradOp,
  type: "conv_transpose2d",
  aliases: { nnc: "Deconvolution", paddle: "conv2d_transpose", mindinsight: "Conv2DTranspose" },
  shape([x, weight], attrs) {
    if (!isImages(x!)) throw new InputError(`Expected images [n, channels, height, width], got ${formatType(x!)}`);
    if (x!.shape[1] !== weight!.shape[0] || x!.shape[1]! % attrs.groups !== 0) {
      throw new InputError(
        `Expected ${weight!.shape[0]} input channels in ${attrs.groups} groups for weight ${
          formatShape(weight!.shape)
        }, ` +
          `got ${x!.shape[1]} from input ${formatShape(x!.shape)}`,
      );
    }
    return [{ ...x!, shape: attrs.inputShape }];
  },
  gradient(node, [dy], needs) {
    const [x, weight] = node.inputs as [Tensor, Tensor];
    const { inputShape: _, ...attrs } = node.attrs;
    if (!dy) return [null, null];
    return [
      needs[0] ? conv2d(dy, weight, null, attrs) : null,
      needs[1] ? conv2dWeightGrad(dy, x, { ...attrs, weight: weight.type }) : null,
    ];
  },
};

/**
 * Adds a transposed convolution: `oh = (h - 1) stride - 2 padding + dilation (kh - 1) + outputPadding + 1`.
 *
 * @throws {InputError} if the input does not fit the weight, or nothing is left of it
 */
export function convTranspose2d(x: Tensor, weight: Tensor, attrs: ConvAttrs & { outputPadding: Pair }): Tensor {
  const { outputPadding, ...conv } = attrs;
  const images = asImages(x);
  const { stride, padding, dilation, groups } = conv;
  const sizes = [0, 1].map((i) =>
    (images.shape[2 + i]! - 1) * stride[i]! - 2 * padding[i]! + dilation[i]! * (weight.shape[2 + i]! - 1) +
    outputPadding[i]! + 1
  );
  if (sizes.some((n) => n < 1)) {
    throw new InputError(`conv_transpose2d leaves ${formatShape(sizes)} pixels of ${formatShape(images.shape)}`);
  }
  const inputShape = [images.shape[0]!, weight.shape[1]! * groups, ...sizes];
  return x.graph.apply(convTranspose2dOp, { ...conv, inputShape }, [images, weight])[0]!;
}
