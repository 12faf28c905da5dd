/**
 * Activations.
 *
 * @module
 */

import { add } from "../../../ops/add.ts";
import { abs, div, mul, sub } from "../../../ops/arithmetic.ts";
import { clamp, maximum, minimum, where } from "../../../ops/choice.ts";
import { equal, greater, less } from "../../../ops/comparisons.ts";
import type { Operand } from "../../../ops/elementwise_op.ts";
import { gelu, GELU_FORMS } from "../../../ops/gelu.ts";
import { elu, leakyRelu, relu6, softplus } from "../../../ops/rectifiers.ts";
import { relu } from "../../../ops/relu.ts";
import { reshape } from "../../../ops/reshape.ts";
import { sigmoid } from "../../../ops/sigmoid.ts";
import { hardSigmoid, hardSwish } from "../../../ops/silu.ts";
import { tanh } from "../../../ops/tanh.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { mapElements } from "../host.ts";
import type { Operator } from "../operator.ts";
import { isConstant } from "../value.ts";
import { exactUnary } from "./elementwise.ts";
import { cumsum } from "../../../ops/cumsum.ts";
import { max } from "../../../ops/extremes.ts";
import { logSoftmax, softmax } from "../../../ops/softmax.ts";

const activation = (type: string, apply: (x: Tensor, node: Application) => Tensor): Operator => ({
  type,
  build: (node) => apply(node.floats(0), node),
});

/** Scales of Selu where the file has none (G. Klambauer et al., 2017). */
const SELU = { alpha: 1.6732632423543772, gamma: 1.0507009873554805 };

/** Limits of Clip: attributes before version 11, inputs from then on. */
const clip: Operator = {
  type: "Clip",
  build(node) {
    const x = node.tensor(0);
    const [low, high] = [limitOf(node, 1, "min", -Infinity), limitOf(node, 2, "max", Infinity)];
    if (typeof low !== "number" || typeof high !== "number" || low > high) {
      const limited = low === -Infinity ? x : maximum(x, low);
      return high === Infinity ? limited : minimum(limited, high);
    }
    if (low === -Infinity && high === Infinity) return x;
    if (low === 0 && high === 6 && x.dtype !== "i32") return relu6(x);
    if (low === 0 && high === Infinity && x.dtype !== "i32") return relu(x);
    return clamp(x, { low, high });
  },
  fold(node) {
    const [low, high] = [limitOf(node, 1, "min", -Infinity), limitOf(node, 2, "max", Infinity)] as [number, number];
    const x = node.constant(0, "the operand")!;
    return mapElements("Clip", [x], x.kind, (value) => Math.min(high, Math.max(low, value)));
  },
};

/** Returns a limit: a number, or a tensor of one that depends on the model's input. */
function limitOf(node: Application, i: number, name: string, otherwise: number): Operand {
  const given = node.has(i) ? node.value(i) : null;
  if (given === null) return node.opset < 11 ? node.attributes.float(name, otherwise) : otherwise;
  if (sizeOf(given.shape) !== 1) {
    throw new InputError(`the limit (input ${i}) has the shape ${formatShape(given.shape)}; expected one number`);
  }
  return isConstant(given) && !given.trained ? given.values[0]! : reshape(node.tensor(i), []);
}

/** The slope is broadcast to the operand; before version 7, it has one element per channel. */
const prelu: Operator = {
  type: "PRelu",
  build(node) {
    const [x, slope] = [node.tensor(0), node.tensor(1)];
    const perChannel = slope.shape.length === 1 && slope.shape[0] !== 1 && x.shape.length > 2 && node.opset < 7;
    const factor = perChannel ? reshape(slope, [slope.shape[0]!, ...x.shape.slice(2).map(() => 1)]) : slope;
    return where(less(x, 0), mul(x, factor), x);
  },
};

function geluOf(x: Tensor, node: Application): Tensor {
  const given = node.attributes.string("approximate", GELU_FORMS[0]);
  const approximate = GELU_FORMS.find((form) => form === given);
  if (approximate !== undefined) return gelu(x, { approximate });
  throw new InputError(`approximate is "${given}"; expected ${GELU_FORMS.join(" or ")}`);
}

/** Defines an operator over an axis; before version 13, over the axis and all after it as one. */
function overAxis(type: string, apply: (x: Tensor, axis: number) => Tensor): Operator {
  return {
    type,
    build(node) {
      const x = node.floats(0);
      const rank = x.shape.length;
      const axis = node.attributes.integer("axis", node.opset < 13 ? 1 : -1);
      const at = axis < 0 ? axis + rank : axis;
      if (node.opset >= 13 || at >= rank - 1) return apply(x, node.opset < 13 && at >= rank ? rank - 1 : at);
      return reshape(apply(reshape(x, [sizeOf(x.shape.slice(0, at)), sizeOf(x.shape.slice(at))]), 1), x.shape);
    },
  };
}

/** 1 at the first of the largest elements, 0 elsewhere. */
function hardmax(x: Tensor, axis: number): Tensor {
  const largest = equal(x, max(x, { axes: axis, keepDims: true }));
  return mul(largest, less(cumsum(largest, axis), 1.5));
}

export const ACTIVATIONS: readonly Operator[] = [
  exactUnary("Relu", (x) => x.dtype === "i32" ? maximum(x, 0) : relu(x), (x) => Math.max(0, x)),
  activation("Sigmoid", sigmoid),
  activation("Tanh", tanh),
  activation("Softplus", (x) => softplus(x, { beta: 1, threshold: 20 })),
  activation("Softsign", (x) => div(x, add(abs(x), 1))),
  activation("LeakyRelu", (x, node) => leakyRelu(x, { negativeSlope: node.attributes.float("alpha", 0.01) })),
  activation("Elu", (x, node) => elu(x, { alpha: node.attributes.float("alpha", 1) })),
  activation("Celu", (x, node) => {
    const alpha = node.attributes.float("alpha", 1);
    return where(greater(x, 0), x, mul(elu(mul(x, 1 / alpha), { alpha: 1 }), alpha));
  }),
  activation("Selu", (x, { attributes }) => {
    const [alpha, gamma] = [attributes.float("alpha", SELU.alpha), attributes.float("gamma", SELU.gamma)];
    return mul(elu(x, { alpha }), gamma);
  }),
  activation("HardSigmoid", (x, { attributes }) => {
    const [alpha, beta] = [attributes.float("alpha", 0.2), attributes.float("beta", 0.5)];
    if (Math.abs(alpha - 1 / 6) < 1e-6 && beta === 0.5) return hardSigmoid(x);
    return clamp(add(mul(x, alpha), beta), { low: 0, high: 1 });
  }),
  activation("HardSwish", hardSwish),
  activation("Mish", (x) => mul(x, tanh(softplus(x, { beta: 1, threshold: 20 })))),
  activation("ThresholdedRelu", (x, node) => {
    const alpha = node.attributes.float("alpha", 1);
    return where(greater(x, alpha), x, 0);
  }),
  activation("Shrink", (x, { attributes }) => {
    const [bias, lambd] = [attributes.float("bias", 0), attributes.float("lambd", 0.5)];
    return where(greater(x, lambd), sub(x, bias), where(less(x, -lambd), add(x, bias), 0));
  }),
  activation("Gelu", geluOf),
  clip,
  prelu,
  overAxis("Softmax", softmax),
  overAxis("LogSoftmax", logSoftmax),
  overAxis("Hardmax", hardmax),
];
