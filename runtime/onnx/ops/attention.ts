/**
 * Attention and rotary positions: the standard's operators (version 23), and those that onnxruntime's tools write.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul, sub } from "../../../ops/arithmetic.ts";
import { whereOp } from "../../../ops/choice.ts";
import { concat, split, stack } from "../../../ops/concat.ts";
import { applyOperands } from "../../../ops/elementwise_op.ts";
import { take } from "../../../ops/gather.ts";
import { reshape } from "../../../ops/reshape.ts";
import { scaledDotProductAttention } from "../../../ops/scaled_dot_product_attention.ts";
import { slice } from "../../../ops/slice.ts";
import { transpose } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { MICROSOFT, type Operator } from "../operator.ts";
import { productOf } from "./products.ts";

/** Returns `[n, heads, t, d]` from `[n, t, heads d]`. */
function inHeads(x: Tensor, heads: number): Tensor {
  const [n, t, width] = x.shape as [number, number, number];
  if (x.shape.length !== 3 || heads < 1 || width % heads !== 0) {
    throw new InputError(`${formatShape(x.shape)} in ${heads} heads; expected [n, t, a multiple of the heads]`);
  }
  return transpose(reshape(x, [n, t, heads, width / heads]), [0, 2, 1, 3]);
}

/** Returns `[n, t, heads d]` from `[n, heads, t, d]`. */
function joinedHeads(x: Tensor): Tensor {
  const [n, heads, t, d] = x.shape as [number, number, number, number];
  return reshape(transpose(x, [0, 2, 1, 3]), [n, t, heads * d]);
}

/** @throws {InputError} if a node has an input that is not supported */
function refuseInputs(node: Application, from: number, what: string): void {
  if (node.inputs.slice(from).some((value) => value !== null)) throw new InputError(`${what} are not supported`);
}

/** Attention of version 23: queries, keys and values `[n, heads, t, d]` or `[n, t, heads d]`, and a mask. */
const standard: Operator = {
  type: "Attention",
  build(node) {
    const { attributes } = node;
    attributes.ignore("the precision is that of amp", "softmax_precision");
    attributes.ignore("it concerns the scores, which are not returned", "qk_matmul_output_mode");
    if (attributes.float("softcap", 0) !== 0) throw new InputError("softcap is not supported");
    refuseInputs(node, 4, "keys and values of the past");
    const [heads, kvHeads] = [attributes.integer("q_num_heads", 0), attributes.integer("kv_num_heads", 0)];
    const isFlat = node.shape(0).length === 3;
    const [q, k, v] = [0, 1, 2].map((i) =>
      isFlat ? inHeads(node.floats(i), i === 0 ? heads : kvHeads) : node.floats(i)
    );
    const causal = attributes.integer("is_causal", 0) !== 0;
    const scale = attributes.has("scale") ? { scale: attributes.float("scale", 1) } : {};
    const mask = node.has(3) ? { mask: maskOf(node, 3) } : {};
    const y = scaledDotProductAttention(q!, k!, v!, { causal, ...scale, ...mask });
    return [isFlat ? joinedHeads(y) : y, null, null, null];
  },
};

/** A mask of truth values excludes keys; one of floats is added. */
function maskOf(node: Application, i: number): Tensor {
  return node.isBoolean(i) ? exclusionOf(node.floats(i), -Infinity) : node.floats(i);
}

/** Returns a mask that is added for one of truth values: 0 where they hold, `low` elsewhere. */
export function exclusionOf(mask: Tensor, low: number): Tensor {
  return applyOperands(whereOp, [mask, 0, low]);
}

/** Attention of onnxruntime: queries, keys and values `[n, t, heads d]`, and a bias for all three. */
const separate: Operator = {
  type: "MultiHeadAttention",
  domain: MICROSOFT,
  build(node) {
    const { attributes } = node;
    attributes.ignore("masks of padding are refused", "mask_filter_value");
    const heads = attributes.integer("num_heads", 1);
    if (node.has(4)) throw new InputError("padding masks are not supported");
    refuseInputs(node, 6, "keys and values of the past");
    const biases = node.has(3) ? split(node.floats(3), 3, 0) : null;
    const [q, k, v] = [0, 1, 2].map((i) => {
      const x = node.floats(i);
      return inHeads(biases === null ? x : add(x, biases[i]!), heads);
    });
    return [joinedHeads(attend(node, q!, k!, v!, node.has(5) ? node.floats(5) : null)), null, null];
  },
};

function attend({ attributes }: Application, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | null): Tensor {
  const causal = attributes.integer("unidirectional", 0) !== 0;
  const given = attributes.float("scale", 0);
  return scaledDotProductAttention(q, k, v, {
    causal,
    ...given === 0 ? {} : { scale: given },
    ...mask === null ? {} : { mask },
  });
}

/** Attention of onnxruntime with one matrix and bias for queries, keys and values. */
const joint: Operator = {
  type: "Attention",
  domain: MICROSOFT,
  build(node) {
    const { attributes } = node;
    attributes.ignore("masks of padding are refused", "mask_filter_value");
    refuseInputs(node, 3, "masks, and keys and values of the past,");
    if (attributes.integers("qkv_hidden_sizes") !== null) throw new InputError("qkv_hidden_sizes is not supported");
    const heads = attributes.integer("num_heads", 1);
    const product = productOf(node);
    const all = node.has(2) ? add(product, node.floats(2)) : product;
    const [q, k, v] = split(all, 3, 2).map((x) => inHeads(x, heads));
    return [joinedHeads(attend(node, q!, k!, v!, null)), null];
  },
};

/** Rotates pairs of features by the angles of their positions (J. Su et al., 2021). */
function rotation(order: readonly [cos: number, sin: number, positions: number], domain?: string): Operator {
  return {
    type: "RotaryEmbedding",
    ...domain === undefined ? {} : { domain },
    build(node) {
      const { attributes } = node;
      attributes.only(0, "is_packed_batching");
      const scale = attributes.float("scale", 1);
      if (scale !== 1) throw new InputError(`scale is ${scale}; only 1 is supported`);
      const given = node.floats(0);
      const isFlat = given.shape.length === 3;
      const heads = attributes.integer("num_heads", 0);
      const [cosAt, sinAt, positionsAt] = order;
      const half = node.shape(cosAt).at(-1)!;
      const size = attributes.integer("rotary_embedding_dim", 0) || 2 * half;
      const x = isFlat ? inHeads(given, heads || given.shape[2]! / (2 * half)) : given;
      const [n, , t, d] = x.shape as [number, number, number, number];
      const angles = (i: number) => {
        const table = node.floats(i);
        const rows = node.has(positionsAt) ? take(table, node.tensor(positionsAt)) : table;
        // The same positions for all samples, or some for each. A single offset, which onnxruntime also takes, is refused
        if (rows.shape.at(-2) !== t) {
          throw new InputError(`positions ${formatShape(rows.shape.slice(0, -1))}; expected ${t} for each sample`);
        }
        return reshape(rows, rows.shape.length === 2 ? [1, 1, t, half] : [n, 1, t, half]);
      };
      const [cos, sin] = [angles(cosAt), angles(sinAt)];
      const turned = size === d ? x : slice(x, [null, null, null, [0, size]]);
      const isInterleaved = attributes.integer("interleaved", 0) !== 0;
      const y = isInterleaved ? turnNeighbours(turned, cos, sin) : turnHalves(turned, cos, sin);
      const whole = size === d ? y : concat([y, slice(x, [null, null, null, [size, d]])], 3);
      return isFlat ? joinedHeads(whole) : whole;
    },
  };
}

function turnHalves(x: Tensor, cos: Tensor, sin: Tensor): Tensor {
  const [a, b] = split(x, 2, 3) as [Tensor, Tensor];
  return concat([sub(mul(a, cos), mul(b, sin)), add(mul(b, cos), mul(a, sin))], 3);
}

function turnNeighbours(x: Tensor, cos: Tensor, sin: Tensor): Tensor {
  const d = x.shape[3]!;
  const [a, b] = [0, 1].map((i) => slice(x, [null, null, null, [i, d, 2]])) as [Tensor, Tensor];
  return reshape(stack([sub(mul(a, cos), mul(b, sin)), add(mul(b, cos), mul(a, sin))], 4), x.shape);
}

export const ATTENTION: readonly Operator[] = [
  joint,
  rotation([1, 2, 3]),
  rotation([2, 3, 1], MICROSOFT),
  separate,
  standard,
];
