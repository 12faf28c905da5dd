/**
 * Attention in its two forms: composed of products and a softmax, which stores a matrix of weights, and tiled, which
 * does not (`attention.ts`). The graph's setting chooses the form.
 *
 * @module
 */
import { DTYPE_BYTES } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { shown } from "../runtime/core/shown.ts";
import { hashText } from "../runtime/core/random.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { GraphBuilder, Tensor } from "../runtime/graph/op.ts";
import { isImages } from "../runtime/graph/types.ts";
import { mul } from "./arithmetic.ts";
import { add } from "./add.ts";
import { tiledAttention } from "./attention.ts";
import { checkFlag, checkOptions, checkTensors } from "./check_arguments.ts";
import { checkProbability, keyedDropout } from "./dropout.ts";
import { matmul } from "./matmul.ts";
import { reshape } from "./reshape.ts";
import { attentionWeights } from "./softmax.ts";
import { toLayout } from "./to_layout.ts";

/** Number of keys from which `auto` tiles attention. */
const TILED_LENGTH = 64;

/** Bytes of the weights of one layer, in the type of the queries, above which `auto` tiles attention of any length. */
const COMPOSED_BYTES = 64 * 2 ** 20;

/** Mask and weights of attention. */
export interface AttentionRule {
  /** A query attends to the keys up to its own position. */
  readonly causal: boolean;
  /** Maximum number of the latest keys that a causal query attends to; 0 for no limit. */
  readonly window: number;
  /** Factor on the scores. */
  readonly scale: number;
  /** Probability that a weight is dropped; 0 in inference. */
  readonly dropout: number;
  /** Key of the draws; see {@linkcode drawsOf}. */
  readonly key: number;
}

/** Options of {@linkcode scaledDotProductAttention}. */
export interface ScaledDotProductAttentionOptions {
  /** A query attends to the keys up to its own position. Default: false. */
  readonly causal?: boolean;
  /** Maximum number of the latest keys that a causal query attends to; 0 for no limit. Default: 0. */
  readonly window?: number;
  /** Factor on the scores. Default: 1 / sqrt(d). */
  readonly scale?: number;
  /** Probability that a weight is dropped in training. Default: 0. */
  readonly dropout?: number;
  /**
   * Floats that are added to the scaled scores, of a shape that broadcasts to `[n, heads, t, s]`; `-Infinity` excludes a
   * key. Such attention is always composed.
   */
  readonly mask?: Tensor;
}

/** Sizes on which the form depends. */
interface Weights {
  readonly n: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
}

/**
 * Returns the form of attention without a mask: that of the graph's setting, or with `auto` tiled if there are at least
 * {@linkcode TILED_LENGTH} keys or the weights take more than {@linkcode COMPOSED_BYTES}.
 */
export function attentionForm(
  { graph, dtype }: Pick<Tensor, "graph" | "dtype">,
  { n, heads, queries, keys }: Weights,
): "composed" | "tiled" {
  if (graph.attention !== "auto") return graph.attention;
  return keys >= TILED_LENGTH || n * heads * queries * keys * DTYPE_BYTES[dtype] > COMPOSED_BYTES
    ? "tiled"
    : "composed";
}

const applications = {};

/**
 * Returns the key of the draws for an attention's dropout, from the number of attentions with dropout before it. Both
 * forms use the same key and draw the same numbers. Without dropout, layers have the same key, so that they are tuned
 * together.
 */
export function drawsOf(graph: GraphBuilder, dropout: number): number {
  if (dropout === 0) return 0;
  const before = (graph.layerState.get(applications) ?? 0) as number;
  graph.layerState.set(applications, before + 1);
  return hashText(`attention.weights#${before}`);
}

/**
 * Attention of queries `[n, heads, t, d]` to keys `[n, kvHeads, s, d]` and values `[n, kvHeads, s, e]`: the softmax of
 * the scaled scores of each query times the values, `[n, heads, t, e]` (A. Vaswani et al., 2017). `kvHeads` divides
 * `heads`; each head of keys serves `heads / kvHeads` heads of queries. Tensors `[n, t, d]` have one head. As in
 * PyTorch, query i of a causal attention attends to the keys 0 to i.
 *
 * The setting `compile.attention` chooses between products and a softmax, and tiles that store no weights.
 *
 * @example
 * ```ts
 * import { scaledDotProductAttention, type Tensor } from "@tacho/tacho";
 *
 * const attend = (q: Tensor, k: Tensor, v: Tensor): Tensor =>
 *   scaledDotProductAttention(q, k, v, { causal: true, dropout: 0.1 });
 * ```
 *
 * @throws {InputError} if the shapes do not fit together, an option is invalid, or attention with a mask is to be tiled
 */
export function scaledDotProductAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  options: ScaledDotProductAttentionOptions = {},
): Tensor {
  checkTensors("scaledDotProductAttention", [q, k, v]);
  checkOptions("scaledDotProductAttention", options, ["causal", "window", "scale", "dropout", "mask"]);
  const [queries, keys, values] = [q, k, v].map(inHeads) as [Tensor, Tensor, Tensor];
  checkShapes([q, k, v], [queries, keys, values]);
  const { graph } = q;
  const rule = ruleOf(graph, options, q.shape.at(-1)!);
  const { mask } = options;
  if (mask !== undefined) checkTensors("scaledDotProductAttention", [mask]);
  const [n, heads, t] = queries.shape as [number, number, number];
  const kvHeads = keys.shape[1]!;
  if (mask !== undefined && graph.attention === "tiled") {
    throw new InputError(
      'scaledDotProductAttention cannot tile attention with a mask; set compile.attention to "auto" or "composed", or ' +
        "express the mask by causal and window",
    );
  }
  const form = mask === undefined ? attentionForm(q, { n, heads, queries: t, keys: keys.shape[2]! }) : "composed";
  const y = form === "tiled"
    ? tiledAttention([queries, keys, values], { order: "heads", heads, kvHeads, ...rule })
    : composedAttention(queries, keys, values, rule, mask);
  return q.shape.length === 3 ? reshape(y, [n, t, v.shape.at(-1)!]) : y;
}

/**
 * Composes attention of products and a softmax; shapes are those of {@linkcode scaledDotProductAttention}. The query heads
 * that share a key head are rows of one product, so that keys and values are not repeated.
 */
export function composedAttention(q: Tensor, k: Tensor, v: Tensor, rule: AttentionRule, mask?: Tensor): Tensor {
  const [n, heads, t, features] = q.shape as [number, number, number, number];
  const [, kvHeads, s] = k.shape as [number, number, number];
  const rows = heads / kvHeads * t;
  const products = matmul(reshape(q, [n * kvHeads, rows, features]), reshape(k, [n * kvHeads, s, features]), {
    transposeB: true,
  });
  const { scale, causal, window, dropout, key } = rule;
  const scores = reshape(products, [n, heads, t, s]);
  const weights = mask === undefined
    ? attentionWeights(scores, { scale, causal, window, diagonal: 0 })
    : attentionWeights(add(mul(scores, scale), mask), { scale: 1, causal, window, diagonal: 0 });
  const kept = keyedDropout(weights, dropout, key);
  const values = matmul(reshape(kept, [n * kvHeads, rows, s]), reshape(v, [n * kvHeads, s, v.shape[3]!]));
  return reshape(values, [n, heads, t, v.shape[3]!]);
}

function ruleOf(
  graph: GraphBuilder,
  { causal = false, window = 0, scale, dropout = 0 }: ScaledDotProductAttentionOptions,
  features: number,
): AttentionRule {
  checkProbability(dropout);
  checkFlag("scaledDotProductAttention", "causal", causal);
  if (!(Number.isInteger(window) && window >= 0) || (window > 0 && !causal)) {
    throw new InputError(
      `scaledDotProductAttention expects a window of at least 0, and 0 unless causal is true, got ${shown(window)}`,
    );
  }
  if (scale !== undefined && !Number.isFinite(scale)) {
    throw new InputError(`scaledDotProductAttention expects a finite scale, got ${shown(scale)}`);
  }
  const inUse = graph.mode === "train" ? dropout : 0;
  return { causal, window, scale: scale ?? features ** -0.5, dropout: inUse, key: drawsOf(graph, inUse) };
}

/** Returns `[n, heads, t, d]` in row-major order; tensors of three dimensions have one head. */
function inHeads(x: Tensor): Tensor {
  const rows = isImages(x.type) ? toLayout(x, "row") : x;
  const [n, t, features] = x.shape as [number, number, number];
  return x.shape.length === 3 ? reshape(rows, [n, 1, t, features]) : rows;
}

function checkShapes(given: readonly Tensor[], [q, k, v]: readonly [Tensor, Tensor, Tensor]): void {
  const rank = given[0]!.shape.length;
  const fits = (rank === 3 || rank === 4) && given.every(({ shape }) => shape.length === rank) &&
    q.shape[0] === k.shape[0] && q.shape[3] === k.shape[3] && q.shape[1]! % k.shape[1]! === 0 &&
    sizeOf(k.shape.slice(0, 3)) === sizeOf(v.shape.slice(0, 3)) &&
    k.shape.slice(0, 3).every((n, d) => n === v.shape[d]);
  if (fits) return;
  throw new InputError(
    "scaledDotProductAttention expects queries [n, heads, t, d], keys [n, kvHeads, s, d] and values " +
      `[n, kvHeads, s, e], and kvHeads to divide heads, got ${given.map(({ shape }) => formatShape(shape)).join(", ")}`,
  );
}
