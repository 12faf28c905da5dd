import { z } from "zod";
import { avgPool2d as poolAverage } from "../../ops/avg_pool2d.ts";
import { globalAvgPool2d as poolAll } from "../../ops/global_avg_pool2d.ts";
import { maxPool2d as poolMaximum } from "../../ops/max_pool2d.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions, nonNegativePair, positivePair, type Size } from "./options.ts";

/** What {@linkcode maxPool2d} and {@linkcode avgPool2d} take. */
export interface PoolOptions {
  kernel: Size;
  /** The kernel's size when left out. */
  stride?: Size;
  /** On either side, at most half of the kernel. Default: 0. */
  padding?: Size;
}

const schema = z.strictObject({
  kernel: positivePair,
  stride: positivePair.optional(),
  padding: nonNegativePair.default([0, 0]),
});

/**
 * The largest element under a sliding window: `[n, c, h, w]` -> `[n, c, oh, ow]`.
 *
 * @throws {InputError} if an option is invalid; when it is applied, if the input does not fit
 */
export function maxPool2d(options: PoolOptions): MarkedLayer {
  const { kernel, stride = kernel, padding } = layerOptions("maxPool2d", schema, options);
  return plainLayer({ type: "max_pool2d", apply: (x) => poolMaximum(x, { kernel, stride, padding }) });
}

/**
 * The mean under a sliding window, padding included: `[n, c, h, w]` -> `[n, c, oh, ow]`.
 *
 * @throws {InputError} if an option is invalid; when it is applied, if the input does not fit
 */
export function avgPool2d(options: PoolOptions): MarkedLayer {
  const { kernel, stride = kernel, padding } = layerOptions("avgPool2d", schema, options);
  return plainLayer({ type: "avg_pool2d", apply: (x) => poolAverage(x, { kernel, stride, padding }) });
}

/** The mean of each channel. */
export function globalAvgPool2d(): MarkedLayer {
  return plainLayer({ type: "global_avg_pool2d", apply: poolAll });
}
