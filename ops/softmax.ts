/**
 * Softmax and its logarithm over the last dimension. For attention, the softmax scales its input, and it may leave out
 * columns that lie after the row's position, or too far before it.
 *
 * @module
 */
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { KernelPlan } from "../runtime/device/kernel.ts";
import type { KernelContext, OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, type TensorType } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { type RowCode, type RowInput, rowMap } from "./kernels/row_map.ts";
import { floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";
import { axisOf } from "./reduction.ts";
import { toLayout } from "./to_layout.ts";
import { transpose } from "./transpose.ts";

/** Columns that count in each row of matrices `[..., rows, columns]`. */
export interface SoftmaxMask {
  readonly rows: number;
  /** Last column of row 0 that counts; each further row adds one. */
  readonly diagonal: number;
  /** Maximum number of columns that count; 0 for no limit. */
  readonly window: number;
}

export interface SoftmaxAttrs {
  /** Factor on the input. */
  readonly scale: number;
  readonly mask: SoftmaxMask | null;
}

/** Lowest finite f32. */
const LOWEST = "-0x1.fffffep+127";

/** y = e^(s x - m) / sum of e^(s x - m), with the row's largest value m; columns outside of the mask are 0. Input: x. */
export const softmaxOp: OpDef<SoftmaxAttrs> = {
  type: "softmax",
  precision: "wide",
  aliases: { singa: "SoftMax" },
  roles: ["attention"],
  shape([x], { mask }) {
    checkRows("softmax", x!);
    if (mask !== null && mask.diagonal < 0) {
      throw new InputError(`softmax expects at least one column in each row, got a diagonal of ${mask.diagonal}`);
    }
    return [x!];
  },
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (node, [dy], needs) =>
    dy && needs[0] ? dy.graph.apply(softmaxGradOp, node.attrs, [dy, outputOf(node, 0)]) : [null],
  candidates: (context) => [plan(context, ["x"], ({ each, write, sum, max }) => {
    const isMasked = context.attrs.mask !== null;
    const scaled = isMasked ? `select(T(${LOWEST}), x * u.scale, inside)` : "x * u.scale";
    return `${sumOfPowers(scaled, { each, sum, max }, isMasked)}
  let factor = 1.0 / total;
  ${write(["x"], "out", "exp(x * u.scale - largest) * factor", { unit: true })}`;
  })],
};

/** dx = s y (dy - sum of y dy). Inputs: dy, y. */
export const softmaxGradOp: OpDef<SoftmaxAttrs> = {
  type: "softmax_grad",
  precision: "wide",
  aliases: { singa: "SoftmaxBackward" },
  roles: ["attention"],
  shape: ([dy]) => [dy!],
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  // Columns outside of the mask may hold any value of dy, but y is 0 there
  candidates: (context) => [plan(context, ["dy", "y"], ({ each, write, sum }) =>
    `var products = T();
  ${each(["dy", "y"], `products += ${context.attrs.mask === null ? "dy * y" : "select(T(), dy * y, inside)"};`)}
  let total = ${sum("products")};
  ${write(["dy", "y"], "out", "u.scale * y * (dy - total)")}`)],
};

/** y = x - log(sum of e^x). Input: x. */
export const logSoftmaxOp: OpDef<NoAttrs> = {
  type: "log_softmax",
  precision: "wide",
  shape([x]) {
    checkRows("logSoftmax", x!);
    return [x!];
  },
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (node, [dy], needs) =>
    dy && needs[0] ? dy.graph.apply(logSoftmaxGradOp, {}, [dy, outputOf(node, 0)]) : [null],
  candidates: (
    context,
  ) => [
    plan(
      context,
      ["x"],
      ({ each, write, sum, max }) =>
        `${sumOfPowers("x", { each, sum, max })}
  let logarithm = log(total);
  ${write(["x"], "out", "(x - largest) - logarithm")}`,
    ),
  ],
};

/** dx = dy - e^y sum of dy. Inputs: dy, y. */
export const logSoftmaxGradOp: OpDef<NoAttrs> = {
  type: "log_softmax_grad",
  precision: "wide",
  shape: ([dy]) => [dy!],
  cost: (inputs, outputs) => ({ flops: 4 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates: (context) => [plan(context, ["dy", "y"], ({ each, write, sum }) =>
    `var total = T();
  ${each(["dy"], "total += dy;")}
  let factor = ${sum("total")};
  ${write(["dy", "y"], "out", "dy - exp(y) * factor")}`)],
};

/**
 * Returns e^x divided by its sum over an axis, the last by default.
 *
 * @throws {InputError} if the axis does not exist, or `x` holds integers
 */
export function softmax(x: Tensor, axis = -1): Tensor {
  return overLast("softmax", x, axis, (rows) => rows.graph.apply(softmaxOp, { scale: 1, mask: null }, [rows])[0]!);
}

/** Returns the logarithm of {@linkcode softmax}, without loss of precision. */
export function logSoftmax(x: Tensor, axis = -1): Tensor {
  return overLast("logSoftmax", x, axis, (rows) => rows.graph.apply(logSoftmaxOp, {}, [rows])[0]!);
}

/**
 * Returns the weights of attention from scores `[..., queries, keys]`: the softmax of `scale` times the scores. If
 * `causal`, query i sees the keys up to `i + diagonal`, by default so that the last query sees all of them; `window` limits
 * their number.
 *
 * @throws {InputError} if a causal query would see no key
 */
export function attentionWeights(
  scores: Tensor,
  options: {
    readonly scale: number;
    readonly causal: boolean;
    readonly window?: number;
    readonly diagonal?: number;
  },
): Tensor {
  const [rows, columns] = scores.shape.slice(-2) as [number, number];
  const { scale, causal, window = 0, diagonal = columns - rows } = options;
  const mask = causal ? { rows, diagonal, window } : null;
  return scores.graph.apply(softmaxOp, { scale, mask }, [scores])[0]!;
}

function overLast(op: string, x: Tensor, axis: number, apply: (rows: Tensor) => Tensor): Tensor {
  const at = axisOf(op, x.shape, axis);
  const rows = isImages(x.type) ? toLayout(x, "row") : x;
  const last = x.shape.length - 1;
  if (at === last) return apply(rows);
  const order = [...x.shape.keys()].with(at, last).with(last, at);
  return transpose(apply(transpose(rows, order)), order);
}

function checkRows(op: string, x: TensorType): void {
  floatOf(x, op);
  if (x.shape.length === 0 || x.layout !== "row") {
    throw new InputError(`${op} expects row-major rows of numbers, got ${formatShape(x.shape)}`);
  }
}

/**
 * Returns statements that declare `largest`, the largest `value` of the row, and `total`, the sum of e^(value - largest),
 * in one pass: a member scales its sum when it meets a larger value (M. Milakov and N. Gimelshein, arXiv:1805.02867).
 */
function sumOfPowers(
  value: string,
  { each, sum, max }: Pick<RowCode, "each" | "sum" | "max">,
  isMasked = false,
): string {
  // Elements inside may be as low as those outside
  const power = isMasked ? "select(T(), exp(value - higher), inside)" : "exp(value - higher)";
  return `var best = ${LOWEST};
  var powers = T();
  ${
    each(
      ["x"],
      `let value = ${value};
    let higher = max(best, maxOf(value));
    powers = powers * exp(best - higher) + ${power};
    best = higher;`,
    )
  }
  let largest = ${max("best")};
  let total = ${sum("powers * exp(best - largest)")};`;
}

/** Returns the plan of a kernel that maps rows of the inputs to rows of output 0. */
function plan<A extends Partial<SoftmaxAttrs>>(
  { inputs, outputs, attrs, traits }: KernelContext<A>,
  names: readonly string[],
  body: (code: RowCode) => string,
): KernelPlan {
  const width = outputs[0]!.shape.at(-1)!;
  const mask = attrs.mask ?? null;
  const rows = names.map((name, i): [string, RowInput] => [name, { ...inputBuffer(inputs, i), kind: "rows" }]);
  return rowMap({
    name: `softmax.${names.length === 1 ? "forward" : "grad"}${attrs.scale === undefined ? ".log" : ""}${
      mask === null ? "" : ".causal"
    }`,
    n: sizeOf(outputs[0]!.shape) / width,
    width,
    traits,
    inputs: Object.fromEntries(rows),
    outputs: { out: outputBuffer(outputs, 0) },
    uniforms: {
      ...(attrs.scale === undefined ? {} : { scale: { f32: attrs.scale } }),
      ...(mask === null ? {} : { queries: mask.rows, diagonal: mask.diagonal, window: mask.window || width }),
    },
    ...(mask === null ? {} : {
      range: `let high = min(row % u.queries + u.diagonal + 1u, u.columns);
  let low = high - min(high, u.window);`,
    }),
    body,
  });
}
