import { z } from "zod";
import { randomNormal as normal, randomUniform as uniform } from "../../ops/random.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

const number = z.number({ error: "expected a number" });
const shape = z.array(positiveInteger, { error: "expected the sizes of one sample, such as [64]" }).optional();

const normalSchema = z.strictObject({
  shape,
  mean: number.default(0),
  std: number.min(0, { error: "expected at least 0" }).default(1),
});
const uniformSchema = z.strictObject({ shape, low: number.default(0), high: number.default(1) });

/** Options of {@linkcode randomNormal}. */
export interface RandomNormalOptions {
  /** Sizes of one sample; defaults to the input's. */
  readonly shape?: readonly number[];
  /** Defaults to 0. */
  readonly mean?: number;
  /** Standard deviation; defaults to 1. */
  readonly std?: number;
}

/** Options of {@linkcode randomUniform}. */
export interface RandomUniformOptions {
  /** Sizes of one sample; defaults to the input's. */
  readonly shape?: readonly number[];
  /** Smallest value; defaults to 0. */
  readonly low?: number;
  /** Values are below this; defaults to 1. */
  readonly high?: number;
}

/**
 * Creates a layer that generates data: numbers from a normal distribution, new ones in each step, for as many samples as its
 * input has. It reads nothing else of its input. Draws depend on the seed, the step and the layer's name, and are made in
 * inference too.
 *
 * @example Noise on the input, as augmentation or for a denoising autoencoder
 * ```ts
 * import { add, layer, randomNormal } from "@tacho/tacho";
 *
 * const noisy = layer((x) => add(x, randomNormal({ std: 0.1 })(x)));
 * ```
 *
 * @throws {InputError} if an option is wrong
 */
export function randomNormal(options: RandomNormalOptions = {}): MarkedLayer {
  const { shape, ...distribution } = layerOptions("randomNormal", normalSchema, options);
  return plainLayer({ type: "random_normal", apply: (x) => normal(x, shapeOf(x, shape), distribution) });
}

/**
 * Creates a layer that generates numbers from a uniform distribution on [low, high), like {@linkcode randomNormal}.
 *
 * @throws {InputError} if an option is wrong; on application, if `low` is not less than `high`
 */
export function randomUniform(options: RandomUniformOptions = {}): MarkedLayer {
  const { shape, ...distribution } = layerOptions("randomUniform", uniformSchema, options);
  return plainLayer({ type: "random_uniform", apply: (x) => uniform(x, shapeOf(x, shape), distribution) });
}

function shapeOf(x: Tensor, sample: readonly number[] | undefined): readonly number[] {
  return sample === undefined ? x.shape : [x.shape[0]!, ...sample];
}
