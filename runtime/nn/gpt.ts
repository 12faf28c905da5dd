/**
 * GPT-2 (A. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019), with the names and orientations of
 * Hugging Face's `GPT2LMHeadModel`.
 *
 * @module
 */
import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { gelu } from "./activations.ts";
import { add } from "./add.ts";
import { attendJoined } from "./attend.ts";
import { checkHeads, dropProbability, layerOptions, tokenModel } from "./options.ts";
import { dropout as dropoutLayer } from "./dropout.ts";
import { embedding, learnedPositions } from "./embedding.ts";
import { normal, zeros } from "./initializers.ts";
import { type Layer, layer, type MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { linear } from "./linear.ts";
import { layerNorm } from "./row_norms.ts";
import { sequential } from "./sequential.ts";
import { tiedLinear } from "./tied_linear.ts";

/** Layers, heads and width of a GPT-2. */
const SIZES = {
  "gpt2": { layers: 12, heads: 12, width: 768 },
  "gpt2-medium": { layers: 24, heads: 16, width: 1024 },
  "gpt2-large": { layers: 36, heads: 20, width: 1280 },
  "gpt2-xl": { layers: 48, heads: 25, width: 1600 },
} as const;

/** Name of a GPT-2. */
export type GptSize = keyof typeof SIZES;

/** Options of {@linkcode gpt}. */
export interface GptOptions {
  /** A GPT-2, whose sizes the other options replace. Default: `gpt2`. */
  size?: GptSize;
  /** Number of transformer blocks. */
  layers?: number;
  /** Heads of attention in each block, which divide `width`. */
  heads?: number;
  /** Features of a position. */
  width?: number;
  /** Most positions of a sequence. Default: 1024. */
  context?: number;
  /** Number of different tokens. Default: 50257. */
  vocabulary?: number;
  /** Probability of dropout of embeddings, attention and residuals. Default: 0; OpenAI trained with 0.1. */
  dropout?: number;
}

const names = Object.keys(SIZES) as GptSize[];

const schema = z.strictObject({
  size: z.enum(names, { error: `expected one of ${names.join(", ")}` }).default("gpt2"),
  layers: positiveInteger.optional(),
  heads: positiveInteger.optional(),
  width: positiveInteger.optional(),
  context: positiveInteger.default(1024),
  vocabulary: positiveInteger.default(50_257),
  dropout: dropProbability.default(0),
});

/** Standard deviation of initial weights. */
const DEVIATION = 0.02;

/**
 * Creates a GPT-2: tokens `[n, t]` to logits `[n, t, vocabulary]`. Each block adds causal attention and a perceptron with
 * GELU's tanh form to its input, each of layer-normalised input. Parameters are Hugging Face's, such as
 * `transformer.h.0.attn.c_attn.weight` `[width, 3 width]`; the logits share `transformer.wte.weight` with the embedding.
 * Weights start normal with deviation 0.02, those that write to the residual `sqrt(2 layers)` times smaller, biases at 0.
 *
 * @example
 * ```ts
 * import { gpt } from "@tacho/tacho";
 *
 * const medium = gpt({ size: "gpt2-medium" });
 * const small = gpt({ layers: 4, heads: 4, width: 128, context: 128, vocabulary: 96 });
 * ```
 *
 * Parameters, and forward multiply-adds of one sequence of 1024 tokens:
 *
 * | size | layers | heads | width | parameters | multiply-adds |
 * | :-- | --: | --: | --: | --: | --: |
 * | gpt2 | 12 | 12 | 768 | 124,439,808 | 145.8 G |
 * | gpt2-medium | 24 | 16 | 1024 | 354,823,168 | 413.5 G |
 * | gpt2-large | 36 | 20 | 1280 | 774,030,080 | 887.3 G |
 * | gpt2-xl | 48 | 25 | 1600 | 1,557,611,200 | 1.75 T |
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank or more than `context` tokens
 */
export function gpt(options: GptOptions = {}): MarkedLayer {
  const { size, context, vocabulary, dropout, ...given } = layerOptions("gpt", schema, options);
  const { layers = SIZES[size].layers, heads = SIZES[size].heads, width = SIZES[size].width } = given;
  checkHeads("gpt", width, heads);
  const init = normal(0, DEVIATION);
  const words = embedding(vocabulary, width, { init });
  const model = sequential({
    transformer: sequential({
      wte: words,
      wpe: learnedPositions(context, { init }),
      drop: dropoutLayer(dropout),
      h: sequential(...Array.from({ length: layers }, () => block({ layers, heads, width, dropout }))),
      ln_f: layerNorm(),
    }),
    lm_head: tiedLinear(words),
  });
  const named = given.layers === undefined && given.width === undefined;
  return tokenModel({ type: "gpt", leaf: false, title: named ? size : `gpt-${layers}x${width}` }, model);
}

/** Adds attention and a perceptron to the input `[n, t, width]`, one after the other. */
function block(
  { layers, heads, width, dropout }: { layers: number; heads: number; width: number; dropout: number },
): Layer {
  const projection = (features: number, deviation = DEVIATION) =>
    linear(features, { transposed: true, init: normal(0, deviation), biasInit: zeros() });
  const residual = () => projection(width, DEVIATION / Math.sqrt(2 * layers));
  const attention = sequential({
    ln_1: layerNorm(),
    attn: sequential({
      c_attn: projection(3 * width),
      attention: selfAttention(heads, dropout),
      c_proj: residual(),
      resid_dropout: dropoutLayer(dropout),
    }),
  });
  const perceptron = sequential({
    ln_2: layerNorm(),
    mlp: sequential({
      c_fc: projection(4 * width),
      act: gelu({ approximate: "tanh" }),
      c_proj: residual(),
      dropout: dropoutLayer(dropout),
    }),
  });
  return layer((x) => {
    const y = add(x, attention(x));
    return add(y, perceptron(y));
  });
}

/** Causal attention of joined queries, keys and values, `[n, t, 3 width]` to `[n, t, width]`. */
function selfAttention(heads: number, dropout: number): Layer {
  return plainLayer({
    type: "attention",
    apply: (x) => attendJoined(x, { heads, kvHeads: heads, causal: true, window: 0, rotary: false, dropout }),
  });
}
