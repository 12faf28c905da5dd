/**
 * Attention without a matrix of weights: softmax(scale q k^T) v, computed tile by tile (T. Dao et al., "FlashAttention:
 * Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022). The forward pass keeps one number per query, the
 * logarithm of the sum of exponentials; the backward pass computes the weights again.
 *
 * @module
 */
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape } from "../runtime/core/shape.ts";
import type { BufferRef } from "../runtime/device/kernel.ts";
import type { KernelContext, OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import type { AttentionProblem, AttentionSizes, HeadMatrices } from "./kernels/attention_pass.ts";
import { attentionGradPlans, attentionPlans } from "./kernels/attention_plan.ts";
import type { FloatBuffer } from "./kernels/access.ts";
import { floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";

export interface AttentionAttrs {
  /**
   * Order of dimensions: `heads` for `[n, heads, t, features]`, `positions` for `[n, t, heads, features]`, and `joined`
   * for one tensor `[n, t, (heads + 2 kvHeads) features]` of queries, keys and values, as a joint projection returns.
   */
  readonly order: "heads" | "positions" | "joined";
  readonly heads: number;
  /** Heads of keys and values; each serves `heads / kvHeads` heads of queries. */
  readonly kvHeads: number;
  /** Factor on the scores. */
  readonly scale: number;
  /** A query attends to the keys up to its own position. */
  readonly causal: boolean;
  /** Maximum number of the latest keys that a causal query attends to; 0 for no limit. */
  readonly window: number;
  /** Probability that a weight is dropped. */
  readonly dropout: number;
  /** Key of the draws. */
  readonly key: number;
}

/**
 * Inputs: q, k and v, or one tensor of all; the step state with dropout. Outputs: y, as q without `joined` and
 * `[n, t, heads features]` with it; the logarithms of the sums of exponentials, f32 `[n, heads, t]`. Weight
 * `[sample, head, query, key]` draws as the element of a tensor of all weights would; see `dropout.ts`.
 */
export const attentionOp: OpDef<AttentionAttrs> = {
  type: "tiled_attention",
  roles: ["product", "attention"],
  precision: "compute",
  aliases: { paddle: "flash_attn", mindinsight: "FlashAttentionScore" },
  shape(inputs, attrs) {
    const { n, heads, queries, values } = sizesOf(inputs, attrs);
    const [first] = inputs as [TensorType];
    const shape = attrs.order === "joined" ? [n, queries, heads * values] : first.shape.with(-1, values);
    return [rowMajor(shape, first.dtype), rowMajor([n, heads, queries], "f32")];
  },
  cost(inputs, outputs, attrs) {
    const sizes = sizesOf(inputs, attrs);
    const { features, values } = sizes;
    return {
      flops: pairsOf(sizes, attrs) * (2 * (features + values) + 5),
      bytes: bytesOf(...tensors(inputs, attrs), ...outputs),
    };
  },
  gradient(node, [dy], needs) {
    if (!dy || !needs.includes(true)) return node.inputs.map(() => null);
    const saved = [dy, outputOf(node, 0), outputOf(node, 1)];
    const gradients = dy.graph.apply(attentionGradOp, node.attrs, [...saved, ...node.inputs]);
    return node.inputs.map((_, i) => gradients[i] ?? null);
  },
  candidates(context) {
    const { inputs, outputs, attrs, traits } = context;
    const { values } = sizesOf(inputs, attrs);
    return attentionPlans({
      ...problemOf(inputs, 0, attrs),
      matrices: {
        ...inputMatrices(inputs, 0, attrs),
        y: resultMatrices(outputBuffer(outputs, 0), inputs, attrs, values),
      },
      logarithms: { output: 1 },
    }, traits);
  },
};

/** Inputs: dy, y, the logarithms, and the inputs of {@linkcode attentionOp}. Outputs: the gradients of q, k and v. */
export const attentionGradOp: OpDef<AttentionAttrs> = {
  type: "tiled_attention_grad",
  roles: ["product", "attention"],
  precision: "compute",
  aliases: { paddle: "flash_attn_grad", mindinsight: "FlashAttentionScoreGrad" },
  shape: (inputs, attrs) => [...tensors(inputs.slice(3), attrs)],
  cost(inputs, outputs, attrs) {
    const sizes = sizesOf(inputs.slice(3), attrs);
    const { features, values } = sizes;
    return {
      // The weights again, their gradients, and those of q, k and v
      flops: pairsOf(sizes, attrs) * (6 * features + 4 * values + 6),
      bytes: bytesOf(...inputs.slice(0, 3), ...tensors(inputs.slice(3), attrs), ...outputs),
    };
  },
  candidates(context) {
    const { inputs, attrs, traits } = context;
    const given = inputs.slice(3);
    const { values } = sizesOf(given, attrs);
    return attentionGradPlans({
      ...problemOf(given, 3, attrs),
      matrices: {
        ...inputMatrices(given, 3, attrs),
        ...gradientMatrices(context),
        y: resultMatrices(inputBuffer(inputs, 1), given, attrs, values),
        dy: resultMatrices(inputBuffer(inputs, 0), given, attrs, values),
      },
      logarithms: { input: 2 },
      pairs: { workspace: 0 },
    }, traits);
  },
};

interface Sizes extends AttentionSizes {
  /** Columns of queries and keys. */
  readonly features: number;
  /** Columns of values. */
  readonly values: number;
}

/** Returns the types of q, k and v, or of the joint tensor, among the inputs. */
function tensors(inputs: readonly TensorType[], { order }: AttentionAttrs): readonly TensorType[] {
  return inputs.slice(0, order === "joined" ? 1 : 3);
}

/** @throws {InputError} if the inputs do not fit together */
function sizesOf(inputs: readonly TensorType[], attrs: AttentionAttrs): Sizes {
  const { order, heads, kvHeads } = attrs;
  const given = tensors(inputs, attrs);
  for (const type of given) {
    floatOf(type, "attention");
    if (type.layout !== "row" || type.dtype !== given[0]!.dtype) {
      throw new InputError(`attention expects row-major tensors of one type, got ${given.map(formatType).join(", ")}`);
    }
  }
  if (heads % kvHeads !== 0) {
    throw new InputError(`attention expects a number of key heads that divides ${heads} query heads, got ${kvHeads}`);
  }
  if (order === "joined") {
    const [n, t, columns] = given[0]!.shape as [number, number, number];
    const features = columns / (heads + 2 * kvHeads);
    return { n, heads, kvHeads, queries: t, keys: t, features, values: features };
  }
  const [q, k, v] = given.map(({ shape }) => shape) as [Shape, Shape, Shape];
  const [h, t] = order === "heads" ? [1, 2] : [2, 1];
  const sizes = { n: q[0]!, heads, kvHeads, queries: q[t]!, keys: k[t]!, features: q[3]!, values: v[3]! };
  const fits = [q, k, v].every((shape) => shape.length === 4 && shape[0] === q[0]) && q[h] === heads &&
    k[h] === kvHeads && v[h] === kvHeads && k[t] === v[t] && q[3] === k[3];
  if (!fits) {
    throw new InputError(
      `attention expects queries, keys and values that fit together, got ${[q, k, v].map(formatShape).join(", ")}`,
    );
  }
  return sizes;
}

/** Returns the number of pairs of a query and a key that it attends to, over all samples and heads. */
function pairsOf({ n, heads, queries, keys }: Sizes, { causal, window }: AttentionAttrs): number {
  if (!causal) return n * heads * queries * keys;
  const most = Math.min(keys, window || keys);
  // A query at position i attends to i + 1 keys, at most `most`
  const rising = Math.min(queries, most);
  return n * heads * (rising * (rising + 1) / 2 + (queries - rising) * most);
}

function problemOf(
  inputs: readonly TensorType[],
  first: number,
  attrs: AttentionAttrs,
): Omit<AttentionProblem, "matrices" | "logarithms"> {
  const { scale, causal, window, dropout, key } = attrs;
  const state: BufferRef = { input: first + inputs.length - 1 };
  return {
    ...sizesOf(inputs, attrs),
    scale,
    causal,
    window,
    dropout: dropout === 0 ? null : { p: dropout, key, state },
  };
}

/** Returns q, k and v of the inputs, the first of which is input `first` of the node. */
function inputMatrices(inputs: readonly TensorType[], first: number, attrs: AttentionAttrs) {
  const { features, values } = sizesOf(inputs, attrs);
  const [q, k, v] = attrs.order === "joined" ? [0, 0, 0] : [0, 1, 2];
  const buffer = (index: number): FloatBuffer => ({
    ...inputBuffer(inputs, index),
    ref: { input: first + index },
  });
  return {
    q: headsOf(buffer(q), inputs, attrs, features, "q"),
    k: headsOf(buffer(k), inputs, attrs, features, "k"),
    v: headsOf(buffer(v), inputs, attrs, values, "v"),
  };
}

/** Returns dq, dk and dv, which are laid out as q, k and v. */
function gradientMatrices({ inputs, outputs, attrs }: KernelContext<AttentionAttrs>) {
  const given = inputs.slice(3);
  const { features, values } = sizesOf(given, attrs);
  const [q, k, v] = attrs.order === "joined" ? [0, 0, 0] : [0, 1, 2];
  return {
    dq: headsOf(outputBuffer(outputs, q), given, attrs, features, "q"),
    dk: headsOf(outputBuffer(outputs, k), given, attrs, features, "k"),
    dv: headsOf(outputBuffer(outputs, v), given, attrs, values, "v"),
  };
}

/** Returns the matrices of an input, or of a tensor laid out as one. */
function headsOf(
  buffer: FloatBuffer,
  inputs: readonly TensorType[],
  attrs: AttentionAttrs,
  columns: number,
  part: "q" | "k" | "v",
): HeadMatrices {
  const { order, heads, kvHeads } = attrs;
  const { queries, keys } = sizesOf(inputs, attrs);
  if (order === "joined") {
    const rowStride = (heads + 2 * kvHeads) * columns;
    const offset = { q: 0, k: heads, v: heads + kvHeads }[part] * columns;
    return { buffer, columns, offset, batchStride: queries * rowStride, headStride: columns, rowStride };
  }
  const [rows, count] = part === "q" ? [queries, heads] : [keys, kvHeads];
  return separate(buffer, order, rows, count, columns);
}

/** Returns the matrices of y, or of its gradient. */
function resultMatrices(
  buffer: FloatBuffer,
  inputs: readonly TensorType[],
  attrs: AttentionAttrs,
  columns: number,
): HeadMatrices {
  const { queries } = sizesOf(inputs, attrs);
  const order = attrs.order === "heads" ? "heads" : "positions";
  return separate(buffer, order, queries, attrs.heads, columns);
}

function separate(
  buffer: FloatBuffer,
  order: "heads" | "positions",
  rows: number,
  heads: number,
  columns: number,
): HeadMatrices {
  const batchStride = rows * heads * columns;
  return order === "heads"
    ? { buffer, columns, offset: 0, batchStride, headStride: rows * columns, rowStride: columns }
    : { buffer, columns, offset: 0, batchStride, headStride: columns, rowStride: heads * columns };
}

/** Applies {@linkcode attentionOp}; see there for the inputs. */
export function tiledAttention(inputs: readonly Tensor[], attrs: AttentionAttrs): Tensor {
  const [first] = inputs as [Tensor];
  const state = attrs.dropout === 0 ? [] : [first.graph.stepState()];
  return first.graph.apply(attentionOp, attrs, [...inputs, ...state])[0]!;
}
