/**
 * Operators that replace a recognised pattern of nodes.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul } from "../../../ops/arithmetic.ts";
import { whereOp } from "../../../ops/choice.ts";
import { split } from "../../../ops/concat.ts";
import { applyOperands } from "../../../ops/elementwise_op.ts";
import { gelu, GELU_FORMS } from "../../../ops/gelu.ts";
import { linear } from "../../../ops/linear.ts";
import { reshape } from "../../../ops/reshape.ts";
import { scaledDotProductAttention } from "../../../ops/scaled_dot_product_attention.ts";
import { softmax } from "../../../ops/softmax.ts";
import { slice } from "../../../ops/slice.ts";
import { matmul } from "../../../ops/matmul.ts";
import { broadcastShape } from "../../../ops/sum.ts";
import { swapAxes, transpose, type TransposeAttrs, transposeOp } from "../../../ops/transpose.ts";
import { tril } from "../../../ops/triangle.ts";
import { InputError } from "../../core/errors.ts";
import { sameShape, type Shape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { moved } from "../host.ts";
import { FUSED, type Operator } from "../operator.ts";
import { type Constant, isConstant } from "../value.ts";
import { exclusionOf } from "./attention.ts";
import { ofRank } from "./elementwise.ts";
import { productOf, weightOf } from "./products.ts";
import { axisOf } from "./reductions.ts";

/** A linear layer with a bias. */
const linearLayer: Operator = {
  type: "Linear",
  domain: FUSED,
  build(node) {
    const x = node.floats(0);
    const [weight, bias] = [node.value(1), node.value(2)];
    if (x.shape.length < 2 || x.type.layout !== "row" || weight.shape[1] !== bias.shape[0]) {
      return add(productOf(node), node.floats(2));
    }
    return linear(x, weightOf(node, 1, false), node.floats(2));
  },
};

/** Parts of a tensor along an axis, without it. */
const unbind: Operator = {
  type: "Unbind",
  domain: FUSED,
  build(node) {
    const x = node.tensor(0);
    const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
    const shape = x.shape.filter((_, d) => d !== axis);
    const count = node.node.outputs.length;
    const part = (i: number) => slice(x, x.shape.map((_, d) => d === axis ? [i, i + 1] as const : null));
    const parts = x.shape[axis] === count ? split(x, count, axis) : Array.from({ length: count }, (_, i) => part(i));
    return parts.map((each) => reshape(each, shape));
  },
  fold(node) {
    const x = node.constant(0, "the tensor")!;
    const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
    const size = x.shape[axis]!;
    return node.node.outputs.map((_, i) => {
      if (i < size) return moved(x, x.shape.toSpliced(axis, 1), (index) => index.toSpliced(axis, 0, i));
      throw new InputError(`the index ${i} is out of range; expected ${-size} to ${size - 1}`);
    });
  },
};

/** Attention of queries `[..., t, d]` to keys `[..., d, s]` and values `[..., s, e]`, with a mask in some form. */
const attention: Operator = {
  type: "Attention",
  domain: FUSED,
  build(node) {
    const { attributes } = node;
    const [q, transposed, v] = [node.floats(0), node.floats(1), node.floats(2)];
    const scale = attributes.float("scale", 1);
    const kind = attributes.string("masked", "none");
    const low = attributes.float("low", -Infinity);
    const mask = kind === "none" ? null : node.value(3);
    const shape = scoresShape(q.shape, transposed.shape);
    const causal = mask !== null && isConstant(mask) && !mask.trained && low <= EXCLUDED && isCausal(mask, kind, shape);
    const rest = mask === null || causal ? null : node.floats(3);
    if (isNative(q, transposed, v) && (rest === null || fitsMask(node, rest, shape, low))) {
      const added = rest === null ? null : kind === "sum" ? rest : exclusionOf(rest, low);
      const options = { scale, causal, ...added === null ? {} : { mask: added } };
      return scaledDotProductAttention(q, keysOf(transposed), v, options);
    }
    const scores = mul(matmul(q, transposed), scale);
    const masked = causal
      ? tril(scores, { fill: -Infinity })
      : rest === null
      ? scores
      : kind === "sum"
      ? add(scores, rest)
      : applyOperands(whereOp, [rest, scores, low]);
    return matmul(softmax(masked), v);
  },
};

function scoresShape(q: Shape, k: Shape): Shape {
  const batch = broadcastShape("MatMul", [q.slice(0, -2), k.slice(0, -2)]);
  return [...batch, ...q.slice(-2, -1), ...k.slice(-1)];
}

/** Returns true for shapes that attention as one op takes: matrices of the same batches and heads, or one head of keys. */
function isNative({ shape: q }: Tensor, { shape: k }: Tensor, { shape: v }: Tensor): boolean {
  const rank = q.length;
  if ((rank !== 3 && rank !== 4) || k.length !== rank || v.length !== rank) return false;
  const isShared = rank === 4 && k[1] === 1;
  return q[0] === k[0] && (isShared || rank === 3 || q[1] === k[1]) && sameShape(k.slice(0, -2), v.slice(0, -2)) &&
    q.at(-1) === k.at(-2) && k.at(-1) === v.at(-2);
}

/** Returns true for a mask that attention as one op can add: it is no larger than the scores, and excludes keys for good. */
function fitsMask({ graph }: Application, mask: Tensor, scores: Shape, low: number): boolean {
  const isSmaller = mask.shape.length <= scores.length &&
    mask.shape.every((n, d) => n === 1 || n === scores[d + scores.length - mask.shape.length]);
  return isSmaller && low <= EXCLUDED && scores.length === 4 && graph.attention !== "tiled";
}

/** A GELU, in the rank of the constants that the file writes it with. */
const geluLayer: Operator = {
  type: "Gelu",
  domain: FUSED,
  build(node) {
    const approximate = node.attributes.string("approximate", GELU_FORMS[0]) as typeof GELU_FORMS[number];
    return ofRank(gelu(node.floats(0), { approximate }), node.attributes.integer("rank", 0));
  },
};

/** Returns keys `[..., s, d]` from their transpose, which mostly is a permutation itself. */
function keysOf(transposed: Tensor): Tensor {
  const { op, attrs, inputs } = transposed.node;
  if ((op as unknown) !== transposeOp) return swapAxes(transposed);
  const { axes } = attrs as TransposeAttrs;
  return transpose(inputs[0]!, [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!]);
}

/** Scores no sum with a mask can raise above others: what is added here replaces them. */
const EXCLUDED = -1e30;

/** Returns true for a mask that leaves each query the keys up to its own position. */
function isCausal({ shape, values }: Constant, kind: string, scores: Shape): boolean {
  const [t, s] = scores.slice(-2) as [number, number];
  if (scores.length < shape.length || shape.at(-2) !== t || shape.at(-1) !== s || t !== s) return false;
  if (sizeOf(shape) !== t * s) return false;
  return values.every((value, i) => {
    const isLater = i % s > Math.floor(i / s);
    return kind === "sum" ? (isLater ? value <= EXCLUDED : value === 0) : (value !== 0) === !isLater;
  });
}

export const FUSIONS: readonly Operator[] = [attention, geluLayer, linearLayer, unbind];
