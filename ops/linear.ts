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
import { formatType, rowMajor } from "../runtime/graph/types.ts";
import { biasGrad } from "./bias_grad.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { linearInputGrad } from "./linear_input_grad.ts";
import { linearWeightGrad } from "./linear_weight_grad.ts";
import { featuresOf } from "./kernels/linear_weight.ts";
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
