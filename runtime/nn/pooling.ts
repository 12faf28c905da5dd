import { z } from "zod";
import { avgPool2d as poolAverage } from "../../ops/avg_pool2d.ts";
import { globalAvgPool2d as poolAll } from "../../ops/global_avg_pool2d.ts";
import { maxPool2d as poolMaximum } from "../../ops/max_pool2d.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions, nonNegativePair, noOptions, positivePair, type Size } from "./options.ts";

/** Options of {@linkcode maxPool2d} and {@linkcode avgPool2d}. A size is a number or `[height, width]`. */
export interface PoolOptions {
  /** Window size. */
  kernel: Size;
  /** Default: the window size. */
  stride?: Size;
  /** Padding on each side, at most half of the window. Default: 0. */
  padding?: Size;
}

const schema = z.strictObject({
  kernel: positivePair,
  stride: positivePair.optional(),
  padding: nonNegativePair.default([0, 0]),
});

/**
 * Creates a max pooling: `[n, c, h, w]` to `[n, c, oh, ow]`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not fit
 */
export function maxPool2d(options: PoolOptions): MarkedLayer {
  const { kernel, stride = kernel, padding } = layerOptions("maxPool2d", schema, options);
  return plainLayer({ type: "max_pool2d", apply: (x) => poolMaximum(x, { kernel, stride, padding }) });
}

/**
 * Creates an average pooling: `[n, c, h, w]` to `[n, c, oh, ow]`. The mean includes padding.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not fit
 */
export function avgPool2d(options: PoolOptions): MarkedLayer {
  const { kernel, stride = kernel, padding } = layerOptions("avgPool2d", schema, options);
  return plainLayer({ type: "avg_pool2d", apply: (x) => poolAverage(x, { kernel, stride, padding }) });
}

/** Creates a global average pooling over each channel: `[n, c, h, w]` to `[n, c, 1, 1]`. */
export function globalAvgPool2d(): MarkedLayer {
  noOptions("globalAvgPool2d", arguments);
  return plainLayer({ type: "global_avg_pool2d", apply: poolAll });
}
