/**
 * Llama (H. Touvron et al., "Llama 2: Open Foundation and Fine-Tuned Chat Models", 2023), with the names of Hugging Face's
 * `LlamaForCausalLM`.
 *
 * @module
 */
import { z } from "zod";
import { mul } from "../../ops/arithmetic.ts";
import type { RotaryScaling } from "../../ops/rotary.ts";
import { silu } from "../../ops/silu.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { add } from "./add.ts";
import { attend } from "./attend.ts";
import { checkHeads, checkKeyHeads, layerOptions, tokenModel } from "./options.ts";
import { embedding } from "./embedding.ts";
import { normal } from "./initializers.ts";
import { type Layer, layer, type MarkedLayer } from "./layer.ts";
import { linear } from "./linear.ts";
import { frequencyBase, rotaryScaling } from "./positions.ts";
import { epsilon, rmsNorm } from "./row_norms.ts";
import { scope } from "./scope.ts";
import { sequential } from "./sequential.ts";
import { tiedLinear } from "./tied_linear.ts";

/** Name of a published Llama. */
export type LlamaSize =
  | "tinyllama-1.1b"
  | "llama-2-7b"
  | "llama-2-13b"
  | "llama-2-70b"
  | "llama-3-8b"
  | "llama-3.1-8b"
  | "llama-3.1-70b"
  | "llama-3.2-1b"
  | "llama-3.2-3b";

type Sizes =
  & Pick<Settings, "layers" | "heads" | "kvHeads" | "width" | "hidden">
  & Partial<Pick<Settings, "vocabulary" | "rotaryBase" | "rotaryScaling" | "tied">>;

/** Scaling of the models whose first context had 8192 positions, but for the factor. */
const EXTENDED = { type: "llama3", lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositionEmbeddings: 8192 } as const;

/** Sizes of published models. */
const SIZES: Readonly<Record<LlamaSize, Sizes>> = {
  "tinyllama-1.1b": { layers: 22, heads: 32, kvHeads: 4, width: 2048, hidden: 5632 },
  "llama-2-7b": { layers: 32, heads: 32, kvHeads: 32, width: 4096, hidden: 11008 },
  "llama-2-13b": { layers: 40, heads: 40, kvHeads: 40, width: 5120, hidden: 13824 },
  "llama-2-70b": { layers: 80, heads: 64, kvHeads: 8, width: 8192, hidden: 28672 },
  "llama-3-8b": {
    layers: 32,
    heads: 32,
    kvHeads: 8,
    width: 4096,
    hidden: 14336,
    vocabulary: 128_256,
    rotaryBase: 500_000,
  },
  "llama-3.1-8b": {
    layers: 32,
    heads: 32,
    kvHeads: 8,
    width: 4096,
    hidden: 14336,
    vocabulary: 128_256,
    rotaryBase: 500_000,
    rotaryScaling: { ...EXTENDED, factor: 8 },
  },
  "llama-3.1-70b": {
    layers: 80,
    heads: 64,
    kvHeads: 8,
    width: 8192,
    hidden: 28672,
    vocabulary: 128_256,
    rotaryBase: 500_000,
    rotaryScaling: { ...EXTENDED, factor: 8 },
  },
  "llama-3.2-1b": {
    layers: 16,
    heads: 32,
    kvHeads: 8,
    width: 2048,
    hidden: 8192,
    vocabulary: 128_256,
    rotaryBase: 500_000,
    rotaryScaling: { ...EXTENDED, factor: 32 },
    tied: true,
  },
  "llama-3.2-3b": {
    layers: 28,
    heads: 24,
    kvHeads: 8,
    width: 3072,
    hidden: 8192,
    vocabulary: 128_256,
    rotaryBase: 500_000,
    rotaryScaling: { ...EXTENDED, factor: 32 },
    tied: true,
  },
};

/** Options of {@linkcode llama}. */
export interface LlamaOptions {
  /** A published model, whose sizes the other options replace. Default: `llama-2-7b`. */
  size?: LlamaSize;
  /** Number of transformer blocks. */
  layers?: number;
  /** Heads of queries in each block, which divide `width` unless `headDim` is given. */
  heads?: number;
  /** Heads of keys and values, which divide `heads`. Default: `heads` if that is given, the size's otherwise. */
  kvHeads?: number;
  /** Features of a position. */
  width?: number;
  /** Features of a head. Default: `width / heads`. */
  headDim?: number;
  /**
   * Features inside the perceptrons. Default: 8/3 of `width`, rounded up to a multiple of 256, if that is given; the size's
   * otherwise.
   */
  hidden?: number;
  /** Number of different tokens. Default: 32000, or the size's. */
  vocabulary?: number;
  /** Ratio of the first frequency of rotary positions to one past the last. Default: 10000, or the size's. */
  rotaryBase?: number;
  /** Stretches rotary positions for a longer context; null does not. Default: the size's, as in Llama 3.1. */
  rotaryScaling?: RotaryScaling | null;
  /** Constant added to the mean squares of norms. Default: 1e-5, as in the published models. */
  epsilon?: number;
  /** Shares the embedding's weight with the logits. Default: false, or the size's. */
  tied?: boolean;
}

const names = Object.keys(SIZES) as LlamaSize[];

const schema = z.strictObject({
  size: z.enum(names, { error: `expected one of ${names.join(", ")}` }).default("llama-2-7b"),
  layers: positiveInteger.optional(),
  heads: positiveInteger.optional(),
  kvHeads: positiveInteger.optional(),
  width: positiveInteger.optional(),
  headDim: positiveInteger.multipleOf(2, { error: "expected an even number" }).optional(),
  hidden: positiveInteger.optional(),
  vocabulary: positiveInteger.optional(),
  rotaryBase: frequencyBase.unwrap().optional(),
  rotaryScaling: rotaryScaling.nullable().optional(),
  epsilon: epsilon.default(1e-5),
  tied: z.boolean({ error: "expected true or false" }).optional(),
});

/** Sizes and settings of a model. */
interface Settings {
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly width: number;
  readonly headDim: number;
  readonly hidden: number;
  readonly vocabulary: number;
  readonly rotaryBase: number;
  readonly rotaryScaling: RotaryScaling | null;
  readonly epsilon: number;
  readonly tied: boolean;
}

/** Initialiser of all weights but those of norms. */
const INIT = normal(0, 0.02);

/**
 * Creates a Llama: tokens `[n, t]` to logits `[n, t, vocabulary]`. Each block adds causal attention with rotary positions
 * and a perceptron gated by SiLU to its input, each of RMS-normalised input. Parameters are Hugging Face's, such as
 * `model.layers.0.self_attn.q_proj.weight` `[heads headDim, width]`; queries and keys rotate features half a head apart, as there.
 * Weights start normal with deviation 0.02.
 *
 * @example
 * ```ts
 * import { llama } from "@tacho/tacho";
 *
 * const large = llama({ size: "llama-3-8b" });
 * const small = llama({ layers: 4, heads: 8, kvHeads: 2, width: 128, vocabulary: 96 });
 * ```
 *
 * | size | layers | heads | key heads | width | hidden | parameters |
 * | :-- | --: | --: | --: | --: | --: | --: |
 * | tinyllama-1.1b | 22 | 32 | 4 | 2048 | 5632 | 1,100,048,384 |
 * | llama-2-7b | 32 | 32 | 32 | 4096 | 11008 | 6,738,415,616 |
 * | llama-2-13b | 40 | 40 | 40 | 5120 | 13824 | 13,015,864,320 |
 * | llama-2-70b | 80 | 64 | 8 | 8192 | 28672 | 68,976,648,192 |
 * | llama-3-8b, llama-3.1-8b | 32 | 32 | 8 | 4096 | 14336 | 8,030,261,248 |
 * | llama-3.1-70b | 80 | 64 | 8 | 8192 | 28672 | 70,553,706,496 |
 * | llama-3.2-1b | 16 | 32 | 8 | 2048 | 8192 | 1,235,814,400 |
 * | llama-3.2-3b | 28 | 24 | 8 | 3072 | 8192 | 3,212,749,824 |
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function llama(options: LlamaOptions = {}): MarkedLayer {
  const { size, ...given } = layerOptions("llama", schema, options);
  const settings = settingsOf(size, given);
  const { layers, width, vocabulary, epsilon, tied } = settings;
  const words = embedding(vocabulary, width, { init: INIT });
  const model = sequential({
    model: sequential({
      embed_tokens: words,
      layers: sequential(...Array.from({ length: layers }, () => block(settings))),
      norm: rmsNorm({ epsilon }),
    }),
    lm_head: tied ? tiedLinear(words) : projection(vocabulary),
  });
  const named = given.layers === undefined && given.width === undefined;
  return tokenModel({ type: "llama", leaf: false, title: named ? size : `llama-${layers}x${width}` }, model);
}

/** @throws {InputError} if the heads do not divide the width, or the heads of keys do not divide the heads */
function settingsOf(size: LlamaSize, given: Omit<z.output<typeof schema>, "size">): Settings {
  const base = { vocabulary: 32_000, rotaryBase: 10_000, rotaryScaling: null, tied: false, ...SIZES[size] };
  const { layers = base.layers, heads = base.heads, width = base.width, epsilon } = given;
  const { kvHeads = given.heads ?? base.kvHeads, vocabulary = base.vocabulary, rotaryBase = base.rotaryBase } = given;
  const { rotaryScaling = base.rotaryScaling, tied = base.tied } = given;
  const { hidden = given.width === undefined ? base.hidden : Math.ceil(Math.floor(8 * width / 3) / 256) * 256 } = given;
  if (given.headDim === undefined) checkHeads("llama", width, heads);
  checkKeyHeads("llama", heads, kvHeads);
  const { headDim = width / heads } = given;
  return { layers, heads, kvHeads, width, headDim, hidden, vocabulary, rotaryBase, rotaryScaling, epsilon, tied };
}

/** Adds attention and a gated perceptron to the input `[n, t, width]`, one after the other. */
function block(settings: Settings): Layer {
  const { width, hidden, epsilon } = settings;
  const attention = sequential({
    input_layernorm: rmsNorm({ epsilon }),
    self_attn: selfAttention(settings),
  });
  const perceptron = sequential({
    post_attention_layernorm: rmsNorm({ epsilon }),
    mlp: gatedPerceptron(width, hidden),
  });
  return layer((x) => {
    const y = add(x, attention(x));
    return add(y, perceptron(y));
  });
}

function selfAttention({ heads, kvHeads, headDim, width, rotaryBase, rotaryScaling }: Settings): Layer {
  const queries = scope("q_proj", projection(heads * headDim));
  const keys = scope("k_proj", projection(kvHeads * headDim));
  const values = scope("v_proj", projection(kvHeads * headDim));
  const output = scope("o_proj", projection(width));
  const rotary = { base: rotaryBase, scaling: rotaryScaling };
  const settings = { heads, kvHeads, causal: true, window: 0, rotary, dropout: 0 } as const;
  return layer((x) => {
    const [q, k, v] = [queries(x), keys(x), values(x)];
    const attended = x.graph.inLayer(
      x.graph.layerPath("attention"),
      () => attend(q, k, v, settings),
    );
    return output(attended);
  });
}

/** `down(silu(gate(x)) up(x))` (N. Shazeer, 2020). */
function gatedPerceptron(width: number, hidden: number): Layer {
  const gate = scope("gate_proj", projection(hidden));
  const up = scope("up_proj", projection(hidden));
  const down = scope("down_proj", projection(width));
  const gated = (a: Tensor, b: Tensor) => a.graph.inLayer(a.graph.layerPath("swiglu"), () => mul(silu(a), b));
  return layer((x) => down(gated(gate(x), up(x))));
}

function projection(features: number): Layer {
  return linear(features, { bias: false, init: INIT });
}
