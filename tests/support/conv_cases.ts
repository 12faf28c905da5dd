/** Convolutions that the tests of every data type and memory layout share. */
import type { ConvAttrs } from "../../ops/conv2d.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import type { Shape } from "../../runtime/core/shape.ts";

export interface ConvCase extends ConvAttrs {
  /** [n, c, h, w] */
  readonly x: Shape;
  /** [out, c / groups, kh, kw] */
  readonly weight: Shape;
}

export const PLAIN: ConvAttrs = { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 };

/** Shapes of common layers, and shapes that are unusual in one way each. */
export const CASES: Record<string, ConvCase> = {
  "3x3 of a ResNet": { ...PLAIN, x: [2, 16, 9, 9], weight: [16, 16, 3, 3], padding: [1, 1] },
  "first layer": { ...PLAIN, x: [2, 3, 8, 8], weight: [16, 3, 3, 3], padding: [1, 1] },
  "stride 2": { ...PLAIN, x: [2, 16, 9, 7], weight: [32, 16, 3, 3], padding: [1, 1], stride: [2, 2] },
  "1x1 stride 2": { ...PLAIN, x: [2, 16, 6, 6], weight: [20, 16, 1, 1], stride: [2, 2] },
  "1x1": { ...PLAIN, x: [2, 16, 5, 7], weight: [36, 16, 1, 1] },
  "1x1, odd channels": { ...PLAIN, x: [3, 5, 4, 3], weight: [7, 5, 1, 1] },
  "3x3 without padding": { ...PLAIN, x: [3, 8, 6, 5], weight: [12, 8, 3, 3] },
  "3x3 with padding 2": { ...PLAIN, x: [1, 36, 3, 4], weight: [68, 36, 3, 3], padding: [2, 1] },
  "LeNet 1": { ...PLAIN, x: [2, 1, 12, 12], weight: [6, 1, 5, 5], padding: [2, 2] },
  "LeNet 2": { ...PLAIN, x: [2, 6, 9, 9], weight: [16, 6, 5, 5] },
  "odd channels": { ...PLAIN, x: [3, 5, 6, 7], weight: [10, 5, 2, 3], padding: [0, 2] },
  "17 channels": { ...PLAIN, x: [1, 17, 4, 5], weight: [21, 17, 3, 2], padding: [1, 0], stride: [1, 3] },
  "strides 2 and 3": { ...PLAIN, x: [1, 4, 11, 13], weight: [8, 4, 4, 5], padding: [2, 1], stride: [2, 3] },
  "dilation": { ...PLAIN, x: [2, 4, 10, 11], weight: [7, 4, 3, 3], padding: [2, 3], dilation: [2, 3] },
  "dilation and stride": {
    ...PLAIN,
    x: [1, 16, 12, 11],
    weight: [12, 16, 3, 3],
    padding: [3, 2],
    dilation: [2, 3],
    stride: [4, 2],
  },
  "two groups": { ...PLAIN, x: [2, 32, 5, 5], weight: [40, 16, 3, 3], padding: [1, 1], groups: 2 },
  "odd groups": { ...PLAIN, x: [2, 9, 5, 6], weight: [15, 3, 3, 3], padding: [1, 1], groups: 3 },
  "depthwise": { ...PLAIN, x: [2, 12, 7, 7], weight: [12, 1, 3, 3], padding: [1, 1], groups: 12 },
  "depthwise, odd channels": { ...PLAIN, x: [2, 7, 6, 5], weight: [7, 1, 3, 3], padding: [1, 1], groups: 7 },
  "depthwise stride 2": {
    ...PLAIN,
    x: [2, 8, 7, 9],
    weight: [8, 1, 3, 3],
    padding: [1, 1],
    stride: [2, 2],
    groups: 8,
  },
  "depthwise with a stride and a dilation": {
    ...PLAIN,
    x: [2, 12, 13, 9],
    weight: [12, 1, 5, 3],
    padding: [3, 1],
    stride: [2, 1],
    dilation: [1, 2],
    groups: 12,
  },
  "depthwise with a multiplier": { ...PLAIN, x: [1, 5, 7, 6], weight: [15, 1, 3, 2], padding: [1, 1], groups: 5 },
  "pairs of pixels": { ...PLAIN, x: [2, 3, 16, 18], weight: [12, 3, 7, 7], padding: [3, 3], stride: [2, 2] },
  "pairs of pixels without padding": {
    ...PLAIN,
    x: [3, 1, 9, 24],
    weight: [6, 1, 3, 4],
    padding: [1, 0],
    stride: [1, 2],
  },
  "lines of two runs and a part": { ...PLAIN, x: [3, 16, 5, 19], weight: [16, 16, 3, 3], padding: [1, 1] },
  "runs of five taps": { ...PLAIN, x: [1, 8, 7, 18], weight: [12, 8, 3, 5], padding: [1, 3] },
  "runs of one channel": { ...PLAIN, x: [2, 1, 9, 17], weight: [6, 1, 5, 5], padding: [2, 2] },
  "runs of pairs in groups": { ...PLAIN, x: [2, 6, 5, 11], weight: [9, 2, 3, 3], padding: [1, 1], groups: 3 },
  "runs of lines apart": {
    ...PLAIN,
    x: [2, 16, 11, 9],
    weight: [16, 16, 3, 3],
    padding: [2, 0],
    stride: [2, 1],
    dilation: [2, 1],
  },
  "quads in two groups": { ...PLAIN, x: [3, 32, 5, 11], weight: [64, 16, 3, 3], padding: [1, 1], groups: 2 },
  "quads, 2x3, stride 2": { ...PLAIN, x: [3, 16, 9, 10], weight: [16, 16, 2, 3], padding: [0, 2], stride: [1, 2] },
  "quads, stride as large as the kernel": { ...PLAIN, x: [1, 32, 8, 9], weight: [16, 32, 3, 2], stride: [2, 2] },
  "several tiles of a GPU": { ...PLAIN, x: [2, 20, 9, 9], weight: [72, 20, 3, 3], padding: [1, 1] },
  "tiles of odd channels": { ...PLAIN, x: [2, 11, 9, 9], weight: [67, 11, 3, 3], padding: [1, 1], stride: [1, 2] },
  "tiles in two groups": { ...PLAIN, x: [3, 16, 7, 8], weight: [136, 8, 3, 3], padding: [1, 1], groups: 2 },
  "input that no tap sees": { ...PLAIN, x: [2, 4, 1, 1], weight: [4, 4, 1, 1], padding: [1, 1], stride: [2, 2] },
  "windows of two channels, 19 output channels": { ...PLAIN, x: [2, 2, 5, 9], weight: [19, 2, 3, 3], padding: [1, 1] },
  "windows of three channels, 40 output channels": { ...PLAIN, x: [1, 3, 6, 7], weight: [40, 3, 3, 3], stride: [2, 1] },
  "kernel as large as the input": { ...PLAIN, x: [3, 4, 5, 6], weight: [4, 4, 5, 6] },
  "stride beyond the kernel": { ...PLAIN, x: [1, 4, 9, 9], weight: [4, 4, 2, 1], stride: [3, 4] },
};

/** Cases that also run in f16, which takes the same paths with other loads and stores. */
export const F16_CASES = [
  "3x3 of a ResNet",
  "3x3 with padding 2",
  "1x1",
  "first layer",
  "stride 2",
  "LeNet 2",
  "odd channels",
  "1x1 stride 2",
  "lines of two runs and a part",
  "runs of one channel",
  "runs of pairs in groups",
  "quads in two groups",
  "several tiles of a GPU",
  "tiles of odd channels",
  "depthwise stride 2",
  "depthwise with a multiplier",
  "pairs of pixels",
];

/** Returns a small convolution of random shape. */
export function randomCase(seed: number): ConvCase {
  const random = new RandomStream(seed, 77);
  const between = (low: number, high: number) => low + random.below(high - low + 1);
  const groups = [1, 1, 2, 3][random.below(4)]!;
  const kernel = [between(1, 4), between(1, 4)] as const;
  const dilation = [between(1, 2), between(1, 2)] as const;
  const size = (i: 0 | 1) => dilation[i] * (kernel[i] - 1) + 1 + between(0, 6);
  const channels = between(1, 9);
  return {
    x: [between(1, 3), groups * channels, size(0), size(1)],
    weight: [groups * between(1, 9), channels, ...kernel],
    stride: [between(1, 3), between(1, 3)],
    padding: [between(0, 2), between(0, 2)],
    dilation,
    groups,
  };
}
