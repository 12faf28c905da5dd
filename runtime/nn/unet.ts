/**
 * U-Nets (O. Ronneberger et al., "U-Net: Convolutional Networks for Biomedical Image Segmentation", 2015) with padding and
 * batch normalisation, and the names of layers and parameters of github.com/milesial/Pytorch-UNet.
 *
 * @module
 */
import { z } from "zod";
import { concat } from "../../ops/concat.ts";
import { pad } from "../../ops/slice.ts";
import { asImages } from "../../ops/to_layout.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { relu } from "./activations.ts";
import { batchNorm } from "./batch_norm.ts";
import { conv2d } from "./conv2d.ts";
import { convTranspose2d } from "./conv_transpose2d.ts";
import { type Layer, layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { layerOptions } from "./options.ts";
import { maxPool2d } from "./pooling.ts";
import { upsample } from "./resizing.ts";
import { scope } from "./scope.ts";
import { sequential } from "./sequential.ts";

/** Options of {@linkcode unet}. */
export interface UnetOptions {
  /** Channels of the output: the classes of each pixel. */
  classes: number;
  /** Channels at full resolution; every halving of the resolution doubles them. Default: 64. */
  channels?: number;
  /** Number of times that the resolution is halved. Default: 4. */
  depth?: number;
  /**
   * Layer that doubles the resolution: a transposed convolution, which halves the channels, or bilinear interpolation, which
   * needs half the channels at the lowest resolution. Default: `transpose`.
   */
  up?: "transpose" | "bilinear";
}

const schema = z.strictObject({
  classes: positiveInteger,
  channels: positiveInteger.default(64),
  depth: positiveInteger.default(4),
  up: z.enum(["transpose", "bilinear"], { error: 'expected "transpose" or "bilinear"' }).default("transpose"),
});

/**
 * Creates a U-Net: images `[n, c, h, w]` to logits of each pixel, `[n, classes, h, w]`, for {@linkcode crossEntropy} against
 * `[n, h, w]`. The encoder halves the resolution by max pooling; the decoder doubles it and joins the encoder's result of
 * the same resolution, to which it is padded with zeros if a height or width was odd. Unlike the paper's, convolutions keep
 * the size and are followed by batch normalisation.
 *
 * Parameters for images with 3 channels and 2 classes: 31,037,698, or 17,263,042 with `up: "bilinear"`.
 *
 * @example
 * ```ts
 * import { unet } from "@tacho/tacho";
 *
 * const model = unet({ classes: 2 });
 * const small = unet({ classes: 2, channels: 8, depth: 3, up: "bilinear" });
 * ```
 *
 * @throws {InputError} if an option is invalid; on application, if images are too small
 */
export function unet(options: UnetOptions): MarkedLayer {
  const { classes, channels, depth, up } = layerOptions("unet", schema, options);
  const bilinear = up === "bilinear";
  const width = (level: number) => channels * 2 ** level;
  const first = scope("inc", doubleConvolution(channels, channels));
  const downs = levels(depth, (level) => {
    const outputs = bilinear && level === depth - 1 ? width(level) : width(level + 1);
    const layers = sequential(maxPool2d({ kernel: 2 }), doubleConvolution(outputs, outputs));
    return scope(`down${level + 1}`, sequential({ maxpool_conv: layers }));
  });
  const ups = levels(depth, (i) => {
    const level = depth - 1 - i;
    const inner = width(level);
    return {
      name: `up${i + 1}`,
      raise: scope(
        "up",
        bilinear
          ? upsample({ scaleFactor: 2, mode: "bilinear", alignCorners: true })
          : convTranspose2d(inner, { kernel: 2, stride: 2 }),
      ),
      refine: scope("conv", doubleConvolution(inner, bilinear && level > 0 ? inner / 2 : inner)),
    };
  });
  const last = scope("outc", sequential({ conv: conv2d(classes, { kernel: 1 }) }));
  return markedLayer({ type: "unet", leaf: false, title: "unet" }, (x) => {
    const skips = [first(x)];
    for (const down of downs) skips.push(down(skips.at(-1)!));
    let y = skips.pop()!;
    for (const { name, raise, refine } of ups) {
      const skip = skips.pop()!;
      y = scope(name, layer((x) => refine(concat([skip, padded(raise(x), skip)], 1))))(y);
    }
    return last(y);
  });
}

function levels<T>(depth: number, make: (i: number) => T): T[] {
  return Array.from({ length: depth }, (_, i) => make(i));
}

/** Two convolutions of 3x3, each with batch normalisation and ReLU. */
function doubleConvolution(inner: number, outputs: number): Layer {
  const convolution = (channels: number) => conv2d(channels, { kernel: 3, padding: 1, bias: false });
  const layers = sequential(convolution(inner), batchNorm(), relu(), convolution(outputs), batchNorm(), relu());
  return sequential({ double_conv: layers });
}

/** Surrounds images with zeros up to the height and width of `like`. */
function padded(x: Tensor, like: Tensor): Tensor {
  const widths = x.shape.map((size, d): [number, number] => {
    const missing = d < 2 ? 0 : like.shape[d]! - size;
    return [Math.floor(missing / 2), Math.ceil(missing / 2)];
  });
  return asImages(pad(x, widths));
}
