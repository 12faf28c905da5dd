import { z } from "zod";
import { add } from "../../ops/add.ts";
import { convTranspose2d as transposed } from "../../ops/conv_transpose2d.ts";
import { reshape } from "../../ops/reshape.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import {
  initializerSchema,
  type InitializerSpec,
  resolveInitializer,
  TORCH_WEIGHT,
  torchBias,
} from "./initializers.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer } from "./leaf_layer.ts";
import { layerOptions, nonNegativePair, positivePair, type Size } from "./options.ts";

/** Options of {@linkcode convTranspose2d}. A size is a number or `[height, width]`. */
export interface ConvTranspose2dOptions {
  /** Kernel size. */
  kernel: Size;
  /** Pixels of the result per pixel of the input. Default: 1. */
  stride?: Size;
  /** Pixels cut off on each side. Default: 0. */
  padding?: Size;
  /** Pixels added at the bottom and the right, fewer than the stride. Default: 0. */
  outputPadding?: Size;
  /** Distance between the kernel's taps. Default: 1. */
  dilation?: Size;
  /** Number of groups of channels. Default: 1. */
  groups?: number;
  /** Adds a bias. Default: true. */
  bias?: boolean;
  /** Initialiser of the weight. Default: PyTorch's. */
  init?: InitializerSpec;
}

const schema = z.strictObject({
  channels: positiveInteger,
  kernel: positivePair,
  stride: positivePair.default([1, 1]),
  padding: nonNegativePair.default([0, 0]),
  outputPadding: nonNegativePair.default([0, 0]),
  dilation: positivePair.default([1, 1]),
  groups: positiveInteger.default(1),
  bias: z.boolean({ error: "expected true or false" }).default(true),
  init: initializerSchema.default(TORCH_WEIGHT),
}).refine(({ outputPadding, stride }) => outputPadding.every((n, i) => n < stride[i]!), {
  path: ["outputPadding"],
  error: "expected less than the stride",
});

/**
 * Creates a transposed convolution: `[n, c, h, w]` to `[n, channels, oh, ow]` with
 * `oh = (h - 1) stride - 2 padding + dilation (kernel - 1) + outputPadding + 1`. Parameters: `weight`
 * `[c, channels / groups, kh, kw]`, `bias` `[channels]`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not fit
 */
export function convTranspose2d(channels: number, options: ConvTranspose2dOptions): MarkedLayer {
  const { bias, init, kernel, ...attrs } = layerOptions("convTranspose2d", schema, options, { channels });
  const { groups } = attrs;
  return weightedLayer<{ weight: Tensor; bias: Tensor | null }>({
    type: "conv_transpose2d",
    unit: "channels",
    size(shape, fail) {
      if (shape.length !== 4) throw fail(`convTranspose2d expects an input [n, c, h, w], got ${namedShape(shape)}`);
      return shape[1]!;
    },
    create(make, x, fail) {
      const inputs = x.shape[1]!;
      if (inputs % groups !== 0 || channels % groups !== 0) {
        throw fail(
          `convTranspose2d with groups ${groups} expects input and output channels that are multiples of it, got ` +
            `${inputs} (input ${namedShape(x.shape)}) and ${channels}`,
        );
      }
      const shape = [inputs, channels / groups, ...kernel];
      const start = resolveInitializer(torchBias(shape), [channels]);
      return {
        weight: make.parameter("weight", { shape, dtype: "f32", layout: "hwio" }, resolveInitializer(init, shape)),
        bias: bias ? make.parameter("bias", rowMajor([channels], "f32"), start) : null,
      };
    },
    apply(x, { weight, bias }) {
      const y = transposed(x, weight, {
        stride: attrs.stride,
        padding: attrs.padding,
        dilation: attrs.dilation,
        outputPadding: attrs.outputPadding,
        groups,
      });
      return bias === null ? y : add(y, reshape(bias, [channels, 1, 1]));
    },
  });
}
