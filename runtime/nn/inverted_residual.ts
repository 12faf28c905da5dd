/**
 * Parts that MobileNetV2 and V3 share, with torchvision's names and initialisation.
 *
 * @module
 */
import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { add } from "./add.ts";
import { batchNorm, type BatchNormOptions } from "./batch_norm.ts";
import { conv2d } from "./conv2d.ts";
import { he, normal, zeros } from "./initializers.ts";
import { type Layer, layer } from "./layer.ts";
import { linear } from "./linear.ts";
import { dropProbability } from "./options.ts";
import { scope } from "./scope.ts";
import { sequential } from "./sequential.ts";

/** Options of both networks. */
export interface MobilenetOptions {
  /** Features of the output. */
  classes: number;
  /** Factor on the channels of all layers, rounded to multiples of 8. Default: 1. */
  width?: number;
  /** Stride of the first layer: 2 for `imagenet`, 1 for `cifar`, whose images are smaller. Default: `imagenet`. */
  stem?: "cifar" | "imagenet";
  /** Probability that a feature is dropped before the last layer. Default: 0.2. */
  dropout?: number;
}

/** Schemas of {@linkcode MobilenetOptions}. */
export const mobilenetFields = {
  classes: positiveInteger,
  width: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(1),
  stem: z.enum(["cifar", "imagenet"], { error: 'expected "cifar" or "imagenet"' }).default("imagenet"),
  dropout: dropProbability.default(0.2),
};

/** Multiple to which channels are rounded. */
const MULTIPLE = 8;

/** Returns the nearest multiple of 8 that is at least 8 and no more than a tenth below `channels`. */
export function roundChannels(channels: number): number {
  const nearest = Math.max(MULTIPLE, Math.floor((channels + MULTIPLE / 2) / MULTIPLE) * MULTIPLE);
  return nearest < 0.9 * channels ? nearest + MULTIPLE : nearest;
}

/** Options of {@linkcode convNorm}. */
export interface ConvNormOptions {
  readonly kernel: number;
  readonly stride?: number;
  /** Applies a filter to each channel separately. Default: false. */
  readonly depthwise?: boolean;
  readonly norm?: BatchNormOptions;
  /** Creates the activation; null for none. */
  readonly activation: (() => Layer) | null;
}

/** Creates a convolution without a bias, a batch normalisation and an activation, numbered from 0. */
export function convNorm(channels: number, options: ConvNormOptions): Layer {
  const { kernel, stride = 1, depthwise = false, norm = {}, activation } = options;
  const groups = depthwise ? "depthwise" : 1;
  return sequential(
    conv2d(channels, { kernel, stride, padding: "same", groups, bias: false, init: he({ fan: "out" }) }),
    batchNorm(norm),
    ...(activation === null ? [] : [activation()]),
  );
}

/** Creates `x + body(x)`, or `body(x)` if `skip` is false. The body has the scope `name`. */
export function skipping(name: string, body: Layer, skip: boolean): Layer {
  const scoped = scope(name, body);
  return skip ? layer((x) => add(x, scoped(x))) : scoped;
}

/** Creates a linear layer of the classifier. */
export function classifierLayer(features: number): Layer {
  return linear(features, { init: normal(0, 0.01), biasInit: zeros() });
}
