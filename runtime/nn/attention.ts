import { z } from "zod";
import { linear } from "../../ops/linear.ts";
import type { RotaryOptions } from "../../ops/rotary.ts";
import { nonNegativeInteger, positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor, type TensorType } from "../graph/types.ts";
import { attendJoined } from "./attend.ts";
import { resolveInitializer, TORCH_WEIGHT, xavier } from "./initializers.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer } from "./leaf_layer.ts";
import { dropProbability, layerOptions } from "./options.ts";
import { frequencyBase, rotaryScaling } from "./positions.ts";

/** Options of {@linkcode multiHeadAttention}. */
export interface AttentionOptions {
  /** Number of heads, which divides the features. */
  heads: number;
  /** Heads of keys and values; each serves `heads / kvHeads` heads of queries. Default: `heads`. */
  kvHeads?: number;
  /** A position attends only to itself and earlier ones. Default: false. */
  causal?: boolean;
  /** Number of latest positions that a causal position attends to; 0 for all. Default: 0. */
  window?: number;
  /** Rotates queries and keys by their positions (J. Su et al., 2021); `true` for the defaults. Default: false. */
  rotary?: boolean | RotaryOptions;
  /** Probability that a weight of attention is dropped in training. Default: 0. */
  dropout?: number;
  /** Adds biases to the projections. Default: true. */
  bias?: boolean;
}

const schema = z.strictObject({
  heads: positiveInteger,
  kvHeads: positiveInteger.optional(),
  causal: z.boolean({ error: "expected true or false" }).default(false),
  window: nonNegativeInteger.default(0),
  rotary: z.union([
    z.boolean(),
    z.strictObject({
      base: frequencyBase,
      scaling: rotaryScaling.nullable().default(null),
      interleaved: z.boolean({ error: "expected true or false" }).default(false),
    }),
  ], { error: "expected true, false or a record such as { base: 10000 }" }).default(false),
  dropout: dropProbability.default(0),
  bias: z.boolean({ error: "expected true or false" }).default(true),
})
  .refine(({ heads, kvHeads = heads }) => heads % kvHeads === 0, {
    path: ["kvHeads"],
    error: "expected a divisor of heads",
  })
  .refine(({ causal, window }) => causal || window === 0, {
    path: ["window"],
    error: "expected 0 unless causal is true",
  });

interface Weights {
  readonly inWeight: Tensor;
  readonly inBias: Tensor | null;
  readonly outWeight: Tensor;
  readonly outBias: Tensor | null;
}

/**
 * Creates self-attention with several heads (A. Vaswani et al., 2017) of `[n, t, features]`. Parameters, named as in
 * PyTorch's `MultiheadAttention`: `in_proj_weight` `[features + 2 kvHeads d, features]` of queries, keys and values with
 * d = features / heads, `in_proj_bias`, `out_proj.weight` `[features, features]`, `out_proj.bias`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank, or its features cannot be
 * divided among the heads
 */
export function multiHeadAttention(options: AttentionOptions): MarkedLayer {
  const { bias, ...settings } = layerOptions("multiHeadAttention", schema, options);
  const { heads, kvHeads = heads } = settings;
  return weightedLayer<Weights>({
    type: "attention",
    unit: "features",
    size(shape, fail) {
      if (shape.length !== 3 || shape[2]! % heads !== 0) {
        throw fail(
          `multiHeadAttention expects an input [n, t, features] whose features are a multiple of ${heads} heads, got ` +
            namedShape(shape),
        );
      }
      if (settings.rotary !== false && shape[2]! / heads % 2 !== 0) {
        throw fail(
          `multiHeadAttention with rotary positions expects an even number of features in each head, got ` +
            `${shape[2]! / heads} (input ${namedShape(shape)}, ${heads} heads); change the heads or the features`,
        );
      }
      return shape[2]!;
    },
    create(make, x) {
      const features = x.shape[2]!;
      const rows = features + 2 * kvHeads * (features / heads);
      const matrix = (n: number): TensorType => ({ shape: [n, features], dtype: "f32", layout: "io" });
      const vector = (name: string, n: number) =>
        bias ? make.parameter(name, rowMajor([n], "f32"), { kind: "constant", value: 0 }) : null;
      return {
        inWeight: make.parameter("in_proj_weight", matrix(rows), resolveInitializer(xavier(), [rows, features])),
        inBias: vector("in_proj_bias", rows),
        outWeight: make.parameter(
          "out_proj.weight",
          matrix(features),
          resolveInitializer(TORCH_WEIGHT, [features, features]),
        ),
        outBias: vector("out_proj.bias", features),
      };
    },
    apply(x, { inWeight, inBias, outWeight, outBias }) {
      return linear(attendJoined(linear(x, inWeight, inBias), { ...settings, kvHeads }), outWeight, outBias);
    },
  });
}
