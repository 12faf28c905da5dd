/**
 * Fully connected layer: `y = x weight^T + bias` over the last dimension. In memory the weight is input-major, so that the
 * product reads consecutive outputs; its shape is `[out, in]` in layout `io`, or `[in, out]` in row-major order.
 *
 * @module
 */

import { isFloat } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { biasGrad } from "./bias_grad.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { matmulPlans } from "./kernels/matmul_plan.ts";

/** Inputs: x `[..., in]`, weight `[out, in]` or `[in, out]`, optional bias `[out]`. Output: `[..., out]`. */
export const linearOp: OpDef<null> = {
  type: "linear",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "GEMM", nnc: "Affine", paddle: "fc", mindinsight: "MatMul" },
  shape([x, weight, bias]) {
    if (x!.shape.length < 1 || !isFloat(x!.dtype) || x!.layout !== "row") {
      throw new InputError(
        `linear expects row-major float features [..., features], got ${formatType(x!)}; ` +
          (isFloat(x!.dtype) ? "flatten the input first" : 'use cast(x, "f32") first'),
      );
    }
    const features = x!.shape.at(-1)!;
    const { out, into } = featuresOf(weight!);
    if (weight!.shape.length !== 2 || into !== features) {
      throw new InputError(
        `Expected ${into} features in the last dimension (weight ${formatShape(weight!.shape)}), ` +
          `got ${features} from input ${formatShape(x!.shape)}; set the layer's input features to ${features}`,
      );
    }
    if (bias !== undefined && (bias.shape.length !== 1 || bias.shape[0] !== out)) {
      throw new InputError(
        `Expected a bias [${out}] for weight ${formatShape(weight!.shape)}, got ${formatShape(bias.shape)}; ` +
          `give it one number per output feature`,
      );
    }
    return [rowMajor([...x!.shape.slice(0, -1), out], x!.dtype)];
  },
  cost: ([x, weight, bias], [y]) => ({
    flops: 2 * sizeOf(x!.shape) * featuresOf(weight!).out,
    bytes: bytesOf(x!, weight!, bias, y!),
  }),
  gradient(node, [dy], needs) {
    const [x, weight, bias] = node.inputs;
    if (dy == null) return node.inputs.map(() => null);
    return [
      needs[0] ? linearInputGrad(dy, weight!) : null,
      needs[1] ? linearWeightGrad(x!, dy, { weight: weight!.type }) : null,
      ...(bias === undefined ? [] : [needs[2] ? biasGrad(dy, bias.type) : null]),
    ];
  },
  candidates: ({ inputs: [x, weight, bias], outputs: [y], traits, epilogue }) =>
    matmulPlans({
      name: "linear.forward",
      a: { ...floatBuffer({ input: 0 }, x!), order: "rows", batched: false },
      b: { ...floatBuffer({ input: 1 }, weight!), order: "rows", batched: false },
      bias: bias === undefined ? null : floatBuffer({ input: 2 }, bias),
      c: { ...floatBuffer({ output: 0 }, y!), epilogue },
      batch: 1,
      m: sizeOf(x!.shape.slice(0, -1)),
      n: featuresOf(weight!).out,
      k: featuresOf(weight!).into,
      sumBatch: false,
    }, traits),
};

/** Adds a fully connected layer. A `bias` of `null` adds none. */
export function linear(x: Tensor, weight: Tensor, bias: Tensor | null): Tensor {
  return x.graph.apply(linearOp, null, bias === null ? [x, weight] : [x, weight, bias])[0]!;
}

/**
 * Returns the numbers of features that a linear layer's weight maps to and from. Both kinds of weight lie in memory as
 * `[in][out]`: `[out, in]` in layout `io`, as PyTorch's, and `[in, out]` in row-major order.
 */
function featuresOf({ shape, layout }: TensorType): { readonly out: number; readonly into: number } {
  const [first, second] = shape as [number, number];
  return layout === "io" ? { out: first, into: second } : { out: second, into: first };
}

/**
 * Gradient of a fully connected layer with respect to its input: `dx = dy weight`.
 * Inputs: dy `[..., out]`, weight `[out, in]` or `[in, out]`. Output: `[..., in]`.
 */
export const linearInputGradOp: OpDef<null> = {
  type: "linear_input_grad",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "GEMM", paddle: "fc_grad", mindinsight: "MatMul" },
  shape: ([dy, weight]) => [rowMajor([...dy!.shape.slice(0, -1), featuresOf(weight!).into], dy!.dtype)],
  cost: ([dy, weight], [dx]) => ({
    flops: 2 * sizeOf(dy!.shape) * featuresOf(weight!).into,
    bytes: bytesOf(dy!, weight!, dx!),
  }),
  candidates: ({ inputs: [dy, weight], outputs: [dx], traits }) =>
    matmulPlans({
      name: "linear.input_grad",
      a: { ...floatBuffer({ input: 0 }, dy!), order: "rows", batched: false },
      b: { ...floatBuffer({ input: 1 }, weight!), order: "columns", batched: false },
      bias: null,
      c: floatBuffer({ output: 0 }, dx!),
      batch: 1,
      m: sizeOf(dy!.shape.slice(0, -1)),
      n: featuresOf(weight!).into,
      k: featuresOf(weight!).out,
      sumBatch: false,
    }, traits),
};

/** Adds the gradient of `linear(x, weight)` with respect to x. */
export function linearInputGrad(dy: Tensor, weight: Tensor): Tensor {
  return dy.graph.apply(linearInputGradOp, null, [dy, weight], "input_grad")[0]!;
}

interface LinearWeightGradAttrs {
  /** Type of the forward op's weight. */
  readonly weight: TensorType;
}

/**
 * Gradient of a fully connected layer with respect to its weight, summed over all dimensions but the last:
 * `dW[o, i] = sum of dy[..., o] x[..., i]`. In memory it is input-major, like the weight.
 * Inputs: x `[..., in]`, dy `[..., out]`. Output: the weight's type.
 */
export const linearWeightGradOp: OpDef<LinearWeightGradAttrs> = {
  type: "linear_weight_grad",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "GEMM", paddle: "fc_grad", mindinsight: "MatMul" },
  shape: (_inputs, attrs) => [attrs.weight],
  cost: ([x, dy], [dw]) => ({
    flops: 2 * sizeOf(x!.shape) * dy!.shape.at(-1)!,
    bytes: bytesOf(x!, dy!, dw!),
  }),
  candidates: ({ inputs: [x, dy], outputs: [dw], traits }) =>
    matmulPlans({
      name: "linear.weight_grad",
      a: { ...floatBuffer({ input: 0 }, x!), order: "columns", batched: false },
      b: { ...floatBuffer({ input: 1 }, dy!), order: "rows", batched: false },
      bias: null,
      c: floatBuffer({ output: 0 }, dw!),
      batch: 1,
      m: x!.shape.at(-1)!,
      n: dy!.shape.at(-1)!,
      k: sizeOf(x!.shape.slice(0, -1)),
      sumBatch: false,
    }, traits),
};

/** Adds the gradient of `linear(x, weight)` with respect to the weight. */
export function linearWeightGrad(x: Tensor, dy: Tensor, attrs: LinearWeightGradAttrs): Tensor {
  return x.graph.apply(linearWeightGradOp, attrs, [x, dy], "weight_grad")[0]!;
}
