import { z } from "zod";
import { conv2d as convolve } from "../../ops/conv2d.ts";
import { reshape, reshapeTo } from "../../ops/reshape.ts";
import { nonNegativeInteger, positiveInteger } from "../data/checked.ts";
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
import { layerOptions } from "./options.ts";

/** Options of {@linkcode conv1d}. */
export interface Conv1dOptions {
  /** Kernel size. */
  kernel: number;
  /** Default: 1. */
  stride?: number;
  /** Zeros added on each side. Default: 0. */
  padding?: number;
  /** Distance between the kernel's taps. Default: 1. */
  dilation?: number;
  /** Number of groups of channels. Default: 1. */
  groups?: number;
  /** Adds a bias. Default: true. */
  bias?: boolean;
  /** Initialiser of the weight. Default: PyTorch's. */
  init?: InitializerSpec;
}

const schema = z.strictObject({
  channels: positiveInteger,
  kernel: positiveInteger,
  stride: positiveInteger.default(1),
  padding: nonNegativeInteger.default(0),
  dilation: positiveInteger.default(1),
  groups: positiveInteger.default(1),
  bias: z.boolean({ error: "expected true or false" }).default(true),
  init: initializerSchema.default(TORCH_WEIGHT),
});

/**
 * Creates a one-dimensional convolution: `[n, c, length]` to `[n, channels, length']`, computed as a two-dimensional one of
 * height 1. Parameters: `weight` `[channels, c / groups, kernel]`, `bias` `[channels]`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not fit
 */
export function conv1d(channels: number, options: Conv1dOptions): MarkedLayer {
  const { kernel, stride, padding, dilation, groups, bias, init } = layerOptions("conv1d", schema, options, {
    channels,
  });
  return weightedLayer<{ weight: Tensor; bias: Tensor | null }>({
    type: "conv1d",
    unit: "channels",
    size(shape, fail) {
      if (shape.length !== 3) throw fail(`conv1d expects an input [n, c, length], got ${namedShape(shape)}`);
      const [length, span] = [shape[2]! + 2 * padding, dilation * (kernel - 1) + 1];
      if (span > length) {
        throw fail(
          `conv1d expects a kernel that fits into the padded length of ${length}, got a kernel of ${kernel} that spans ` +
            `${span} (input ${namedShape(shape)}); raise padding or use a smaller kernel or dilation`,
        );
      }
      return shape[1]!;
    },
    create(make, x, fail) {
      const inputs = x.shape[1]!;
      if (inputs % groups !== 0 || channels % groups !== 0) {
        throw fail(
          `conv1d with groups ${groups} expects input and output channels that are multiples of it, got ${inputs} ` +
            `(input ${namedShape(x.shape)}) and ${channels}`,
        );
      }
      const shape = [channels, inputs / groups, kernel];
      const start = resolveInitializer(torchBias(shape), [channels]);
      return {
        weight: make.parameter("weight", { shape, dtype: "f32", layout: "wio" }, resolveInitializer(init, shape)),
        bias: bias ? make.parameter("bias", rowMajor([channels], "f32"), start) : null,
      };
    },
    apply(x, { weight, bias }) {
      const [n, c, length] = x.shape as [number, number, number];
      const images = reshapeTo(x, { shape: [n, c, 1, length], layout: x.graph.imageLayout });
      // A view, since both layouts store the taps first and the output channels last
      const flat = reshapeTo(weight, { shape: weight.shape.toSpliced(2, 0, 1), layout: "hwio" });
      const y = convolve(images, flat, bias, {
        stride: [1, stride],
        padding: [0, padding],
        dilation: [1, dilation],
        groups,
      });
      return reshape(y, [n, channels, y.shape[3]!]);
    },
  });
}
