import { z } from "zod";
import { conv2d as convolve } from "../../ops/conv2d.ts";
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
import { type Fail, weightedLayer } from "./leaf_layer.ts";
import { layerOptions, nonNegativePair, positivePair, type Size } from "./options.ts";

/** Options of {@linkcode conv2d}. A size is a number or `[height, width]`. */
export interface Conv2dOptions {
  /** Kernel size. */
  kernel: Size;
  /** Default: 1. */
  stride?: Size;
  /** Zeros added on each side. `"same"` gives an output of `ceil(input / stride)`. Default: 0. */
  padding?: Size | "same";
  /** Distance between the kernel's taps. Default: 1. */
  dilation?: Size;
  /** Number of groups of channels; `"depthwise"` makes each input channel a group. Default: 1. */
  groups?: number | "depthwise";
  /** Adds a bias. Default: true. */
  bias?: boolean;
  /** Initialiser of the weight. Default: PyTorch's. */
  init?: InitializerSpec;
  /** Initialiser of the bias. Default: PyTorch's. */
  biasInit?: InitializerSpec;
}

const schema = z.strictObject({
  channels: positiveInteger,
  kernel: positivePair,
  stride: positivePair.default([1, 1]),
  padding: z.union([z.literal("same"), nonNegativePair], {
    error: 'expected a whole number of at least 0, [height, width] or "same"',
  }).default([0, 0]),
  dilation: positivePair.default([1, 1]),
  groups: z.union([z.literal("depthwise"), positiveInteger], {
    error: 'expected a whole number of at least 1, or "depthwise"',
  }).default(1),
  bias: z.boolean({ error: "expected true or false" }).default(true),
  init: initializerSchema.default(TORCH_WEIGHT),
  biasInit: initializerSchema.optional(),
});

/**
 * Creates a two-dimensional convolution: `[n, c, h, w]` to `[n, channels, oh, ow]`. Parameters: `weight`
 * `[channels, c / groups, kh, kw]`, `bias` `[channels]`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not fit
 */
export function conv2d(channels: number, options: Conv2dOptions): MarkedLayer {
  const { bias, kernel, stride, dilation, ...rest } = layerOptions("conv2d", schema, options, { channels });
  const groupsOf = (inputs: number) => rest.groups === "depthwise" ? inputs : rest.groups;
  return weightedLayer<{ weight: Tensor; bias: Tensor | null }>({
    type: "conv2d",
    unit: "channels",
    size(shape, fail) {
      if (shape.length !== 4) {
        throw fail(`conv2d expects an input [n, c, h, w], got ${namedShape(shape)}`);
      }
      return shape[1]!;
    },
    create(make, x, fail) {
      const inputs = x.shape[1]!;
      const groups = groupsOf(inputs);
      if (inputs % groups !== 0 || channels % groups !== 0) {
        throw fail(
          `conv2d with groups ${groups} expects input and output channels that are multiples of it, ` +
            `got ${inputs} (input ${namedShape(x.shape)}) and ${channels}`,
        );
      }
      const shape = [channels, inputs / groups, ...kernel];
      const biasInit = rest.biasInit ?? torchBias(shape);
      return {
        weight: make.parameter(
          "weight",
          { shape, dtype: "f32", layout: "hwio" },
          resolveInitializer(rest.init, shape),
        ),
        bias: bias
          ? make.parameter("bias", rowMajor([channels], "f32"), resolveInitializer(biasInit, [channels]))
          : null,
      };
    },
    apply: (x, weights, fail) =>
      convolve(x, weights.weight, weights.bias, {
        stride,
        padding: rest.padding === "same" ? samePadding(kernel, dilation, fail) : rest.padding,
        dilation,
        groups: groupsOf(x.shape[1]!),
      }),
  });
}

/** Returns half of the kernel's extent, which gives an output of `ceil(input / stride)`. */
function samePadding(kernel: [number, number], dilation: [number, number], fail: Fail): [number, number] {
  const reach = kernel.map((k, i) => dilation[i]! * (k - 1)) as [number, number];
  if (reach.some((n) => n % 2 !== 0)) {
    throw fail(
      `padding "same" needs an odd kernel, got kernel [${kernel.join(", ")}] with dilation [${dilation.join(", ")}]; ` +
        `give the padding as a number`,
    );
  }
  return [reach[0] / 2, reach[1] / 2];
}
