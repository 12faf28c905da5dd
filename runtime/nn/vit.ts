/**
 * Vision transformers (A. Dosovitskiy et al., "An Image is Worth 16x16 Words", 2020), with torchvision's names of layers and
 * parameters.
 *
 * @module
 */
import { z } from "zod";
import { concat } from "../../ops/concat.ts";
import { reshape } from "../../ops/reshape.ts";
import { slice } from "../../ops/slice.ts";
import { expand } from "../../ops/sum.ts";
import { transpose } from "../../ops/transpose.ts";
import { positiveInteger } from "../data/checked.ts";
import { gelu } from "./activations.ts";
import { add } from "./add.ts";
import { multiHeadAttention } from "./attention.ts";
import { checkHeads, dropProbability, layerOptions } from "./options.ts";
import { conv2d } from "./conv2d.ts";
import { dropout as drop } from "./dropout.ts";
import { he, normal, xavier, zeros } from "./initializers.ts";
import { type Layer, layer, layerError, type MarkedLayer, markedLayer, namedShape } from "./layer.ts";
import { linear } from "./linear.ts";
import { parameter } from "./parameter.ts";
import { layerNorm } from "./row_norms.ts";
import { scope } from "./scope.ts";
import { sequential } from "./sequential.ts";

/** Names of the published networks: base, large or huge, and the size of a patch. */
export type VitSize = "b_16" | "b_32" | "l_16" | "l_32" | "h_14";

/** Options of {@linkcode vit}. */
export interface VitOptions {
  /** Features of the output. */
  classes: number;
  /** Published network from which `patch`, `width`, `layers` and `heads` are taken if not given. Default: `b_16`. */
  size?: VitSize;
  /** Height and width of a patch in pixels. */
  patch?: number;
  /** Features of each token. */
  width?: number;
  /** Number of encoder layers. */
  layers?: number;
  /** Heads of attention in each layer. */
  heads?: number;
  /** Hidden features of each layer's perceptron. Default: 4 times the width. */
  hidden?: number;
  /** Probability that a feature is dropped: of the tokens, and after each part of a layer. Default: 0. */
  dropout?: number;
  /** Probability that a weight of attention is dropped. Default: 0. */
  attentionDropout?: number;
}

interface Architecture {
  readonly patch: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
}

const BASE = { width: 768, layers: 12, heads: 12 } as const;
const LARGE = { width: 1024, layers: 24, heads: 16 } as const;

const ARCHITECTURES: Readonly<Record<VitSize, Architecture>> = {
  b_16: { ...BASE, patch: 16 },
  b_32: { ...BASE, patch: 32 },
  l_16: { ...LARGE, patch: 16 },
  l_32: { ...LARGE, patch: 32 },
  h_14: { width: 1280, layers: 32, heads: 16, patch: 14 },
};

/** Published networks that {@linkcode vit} knows. */
export const VIT_SIZES = Object.keys(ARCHITECTURES) as readonly VitSize[];

const schema = z.strictObject({
  classes: positiveInteger,
  size: z.enum(VIT_SIZES, { error: `expected ${VIT_SIZES.map((size) => `"${size}"`).join(", ")}` }).default("b_16"),
  patch: positiveInteger.optional(),
  width: positiveInteger.optional(),
  layers: positiveInteger.optional(),
  heads: positiveInteger.optional(),
  hidden: positiveInteger.optional(),
  dropout: dropProbability.default(0),
  attentionDropout: dropProbability.default(0),
});

/** Added to variances, as in torchvision. */
const EPSILON = 1e-6;

/**
 * Creates a vision transformer: images `[n, c, h, w]` to `[n, classes]`. Each patch of the image becomes a token; a trained
 * token comes first, and the classes are read from it. Height and width of the images, multiples of the patch, determine the
 * number of positions, so that weights fit one size of images. Initialised as in torchvision, where the last layer starts
 * at 0.
 *
 * @example
 * ```ts
 * import { vit } from "@tacho/tacho";
 *
 * const base = vit({ size: "b_16", classes: 1000 }); // for images of 224x224
 * const small = vit({ patch: 4, width: 192, layers: 6, heads: 3, classes: 10 }); // for CIFAR-10
 * ```
 *
 * Parameters and forward multiply-adds of an image with 3 channels of 224x224, with 1000 classes:
 *
 * | size | patch | width | layers | heads | parameters | multiply-adds |
 * | :--- | ----: | ----: | ----: | ----: | ---------: | ------------: |
 * | b_16 | 16 | 768 | 12 | 12 | 86,567,656 | 17.56 G |
 * | b_32 | 32 | 768 | 12 | 12 | 88,224,232 | 4.41 G |
 * | l_16 | 16 | 1024 | 24 | 16 | 304,326,632 | 61.55 G |
 * | l_32 | 32 | 1024 | 24 | 16 | 306,535,400 | 15.38 G |
 * | h_14 | 14 | 1280 | 32 | 16 | 632,045,800 | 167.29 G |
 *
 * @throws {InputError} if an option is invalid; on application, if the images are not made of whole patches
 */
export function vit(options: VitOptions): MarkedLayer {
  const { classes, size, dropout, attentionDropout, ...given } = layerOptions("vit", schema, options);
  const published = ARCHITECTURES[size];
  const { patch = published.patch, width = published.width, layers = published.layers, heads = published.heads } =
    given;
  const { hidden = 4 * width } = given;
  checkHeads("vit", width, heads);
  const patches = scope(
    "conv_proj",
    // Standard deviation 1 / sqrt(fan_in)
    conv2d(width, { kernel: patch, stride: patch, init: he({ slope: 1 }), biasInit: zeros() }),
  );
  const first = parameter("class_token", [1, 1, width]);
  const encoderLayers = Array.from({ length: layers }, () => {
    return encoderLayer({ heads, hidden, width, dropout, attentionDropout });
  });
  const encoder = scope("encoder", encoderOf(encoderLayers, dropout));
  const head = scope("heads.head", linear(classes, { init: zeros(), biasInit: zeros() }));
  const own = Object.values(given).some((value) => value !== undefined);
  const title = own ? `vit (${layers} layers, width ${width}, patch ${patch})` : `vit_${size}`;
  return markedLayer({ type: "vit", leaf: false, title }, (x) => {
    const [n, , h, w] = x.shape;
    if (x.shape.length !== 4 || h! % patch !== 0 || w! % patch !== 0) {
      throw layerError(
        x.graph.layerPath("conv_proj"),
        `vit expects images [n, c, h, w] whose height and width are multiples of the patch, ${patch}, got ` +
          `${namedShape(x.shape)}; resize or crop the images, or set vit.patch`,
      );
    }
    const tokens = reshape(transpose(patches(x), [0, 2, 3, 1]), [n!, -1, width]);
    const encoded = encoder(concat([expand(first(tokens), [n!, 1, width]), tokens], 1));
    return head(reshape(slice(encoded, [null, [0, 1]]), [n!, width]));
  });
}

/** Adds the positions and applies the layers and a norm. */
function encoderOf(layers: readonly Layer[], dropout: number): Layer {
  const positions = parameter("pos_embedding", ({ shape: [, length, width] }) => [1, length!, width!], {
    init: normal(0, 0.02),
  });
  const body = sequential({
    dropout: drop(dropout),
    layers: sequential(Object.fromEntries(layers.map((each, i) => [`encoder_layer_${i}`, each]))),
    ln: layerNorm({ epsilon: EPSILON }),
  });
  return layer((x) => body(add(x, positions(x))));
}

/** Attention and a perceptron, each over normalised inputs and added to its input. */
function encoderLayer(
  { heads, hidden, width, dropout, attentionDropout }:
    & Pick<Architecture, "heads" | "width">
    & Required<Pick<VitOptions, "hidden" | "dropout" | "attentionDropout">>,
): Layer {
  const attention = sequential({
    ln_1: layerNorm({ epsilon: EPSILON }),
    self_attention: multiHeadAttention({ heads, dropout: attentionDropout }),
    dropout: drop(dropout),
  });
  const projection = (features: number) => linear(features, { init: xavier(), biasInit: normal(0, 1e-6) });
  const perceptron = sequential({
    ln_2: layerNorm({ epsilon: EPSILON }),
    mlp: sequential(projection(hidden), gelu(), drop(dropout), projection(width), drop(dropout)),
  });
  return layer((x) => {
    const y = add(attention(x), x);
    return add(y, perceptron(y));
  });
}
