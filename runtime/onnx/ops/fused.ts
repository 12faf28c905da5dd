/**
 * Operators that replace a recognised pattern of nodes.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul, sub } from "../../../ops/arithmetic.ts";
import { notEqual } from "../../../ops/comparisons.ts";
import { split } from "../../../ops/concat.ts";
import { linear } from "../../../ops/linear.ts";
import { reshape } from "../../../ops/reshape.ts";
import { scaledDotProductAttention } from "../../../ops/scaled_dot_product_attention.ts";
import { softmax } from "../../../ops/softmax.ts";
import { slice } from "../../../ops/slice.ts";
import { matmul } from "../../../ops/matmul.ts";
import { swapAxes, transpose, type TransposeAttrs, transposeOp } from "../../../ops/transpose.ts";
import { tril } from "../../../ops/triangle.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import type { Operator } from "../operator.ts";
import { FUSED } from "../fused_domain.ts";
import { type Constant, isConstant } from "../value.ts";
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
    const [t, s] = [q.shape.at(-2)!, transposed.shape.at(-1)!];
    const mask = kind === "none" ? null : node.value(3);
    const causal = mask !== null && isConstant(mask) && isCausal(mask, kind, t, s);
    const rest = mask === null || causal ? null : maskTensor(node, kind);
    const ranks = [q, transposed, v].map(({ shape }) => shape.length);
    const isNative = ranks.every((rank) => rank === ranks[0]) && (ranks[0] === 3 || ranks[0] === 4) &&
      (rest === null || (ranks[0] === 4 && node.graph.attention !== "tiled"));
    if (isNative) {
      const options = { scale, causal, ...rest === null ? {} : { mask: rest } };
      return scaledDotProductAttention(q, keysOf(transposed), v, options);
    }
    const scores = mul(matmul(q, transposed), scale);
    const masked = causal ? tril(scores, { fill: -1e30 }) : rest === null ? scores : add(scores, rest);
    return matmul(softmax(masked), v);
  },
};

/** Returns keys `[..., s, d]` from their transpose, which mostly is a permutation itself. */
function keysOf(transposed: Tensor): Tensor {
  const { op, attrs, inputs } = transposed.node;
  if ((op as unknown) !== transposeOp) return swapAxes(transposed);
  const { axes } = attrs as TransposeAttrs;
  return transpose(inputs[0]!, [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!]);
}

/** Scores below this have no weight. */
const EXCLUDED = -1e3;

/** Returns true for a mask that leaves each query the keys up to its own position. */
function isCausal({ shape, values }: Constant, kind: string, t: number, s: number): boolean {
  const [rows, columns] = [shape.at(-2), shape.at(-1)];
  if (rows !== t || columns !== s || t !== s || sizeOf(shape) !== t * s) return false;
  return values.every((value, i) => {
    const isLater = i % s > Math.floor(i / s);
    return kind === "sum" ? (isLater ? value < EXCLUDED : value === 0) : (value !== 0) === !isLater;
  });
}

/** Returns what is added to the scores. */
function maskTensor(node: Application, kind: string): Tensor {
  const mask = node.floats(3);
  return kind === "sum" ? mask : mul(sub(notEqual(mask, 0), 1), 1e30);
}

export const FUSIONS: readonly Operator[] = [attention, linearLayer, unbind];
