/**
 * Attention without its projections, which layers and models share.
 *
 * @module
 */
import { dropout as drop } from "../../ops/dropout.ts";
import { matmul } from "../../ops/matmul.ts";
import { reshape } from "../../ops/reshape.ts";
import { rotary as rotate, type RotaryOptions } from "../../ops/rotary.ts";
import { attentionWeights } from "../../ops/softmax.ts";
import { transpose } from "../../ops/transpose.ts";
import type { Tensor } from "../graph/op.ts";

/** Settings of {@linkcode attend}. */
export interface AttendSettings {
  readonly causal: boolean;
  /** Number of latest positions that a causal position attends to; 0 for all. */
  readonly window: number;
  readonly rotary: boolean | RotaryOptions;
  /** Probability that a weight of attention is dropped in training. */
  readonly dropout: number;
}

/** Divides features into heads: `[n, t, heads d]` to `[n, heads, t, d]`. */
export function headsOf(x: Tensor, heads: number): Tensor {
  const [n, t, features] = x.shape as [number, number, number];
  return transpose(reshape(x, [n, t, heads, features / heads]), [0, 2, 1, 3]);
}

/**
 * Attends with queries `[n, heads, t, d]` to keys and values `[n, kvHeads, t, d]`, and joins the heads: `[n, t, heads d]`.
 * It is composed of products and a softmax. The query heads that share a key head are rows of one product, so that keys
 * and values are not repeated.
 */
export function attend(q: Tensor, k: Tensor, v: Tensor, { causal, window, rotary, dropout }: AttendSettings): Tensor {
  const [n, heads, t, depth] = q.shape as [number, number, number, number];
  const kvHeads = k.shape[1]!;
  const turned = (each: Tensor) => rotary === false ? each : rotate(each, 2, rotary === true ? {} : rotary);
  const queries = reshape(turned(q), [n * kvHeads, heads / kvHeads * t, depth]);
  const scores = matmul(queries, reshape(turned(k), [n * kvHeads, t, depth]), { transposeB: true });
  const weights = attentionWeights(reshape(scores, [n * heads, t, t]), { scale: depth ** -0.5, causal, window });
  const kept = reshape(drop(weights, dropout), [n * kvHeads, heads / kvHeads * t, t]);
  const values = matmul(kept, reshape(v, [n * kvHeads, t, depth]));
  return reshape(transpose(reshape(values, [n, heads, t, depth]), [0, 2, 1, 3]), [n, t, heads * depth]);
}
