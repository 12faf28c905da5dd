import { z } from "zod";
import { gelu as applyGelu, GELU_FORMS } from "../../ops/gelu.ts";
import {
  elu as applyElu,
  leakyRelu as applyLeakyRelu,
  relu6 as applyRelu6,
  softplus as applySoftplus,
} from "../../ops/rectifiers.ts";
import { relu as applyRelu } from "../../ops/relu.ts";
import { sigmoid as applySigmoid } from "../../ops/sigmoid.ts";
import { hardSigmoid as applyHardSigmoid, hardSwish as applyHardSwish, silu as applySilu } from "../../ops/silu.ts";
import { logSoftmax as applyLogSoftmax, softmax as applySoftmax } from "../../ops/softmax.ts";
import { tanh as applyTanh } from "../../ops/tanh.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions, noOptions } from "./options.ts";

/** Creates a ReLU: `max(x, 0)` element by element, for a tensor of any shape. */
export function relu(): MarkedLayer {
  noOptions("relu", arguments);
  return plainLayer({ type: "relu", apply: applyRelu });
}

/** Creates a ReLU that is limited to 6: `min(max(x, 0), 6)`, element by element (A. Krizhevsky, 2010). */
export function relu6(): MarkedLayer {
  noOptions("relu6", arguments);
  return plainLayer({ type: "relu6", apply: applyRelu6 });
}

const geluSchema = z.strictObject({
  approximate: z.enum(GELU_FORMS, { error: 'expected "none" or "tanh"' }).default("none"),
});

/**
 * Creates a GELU: `x P(X <= x)` element by element for a standard normal X (D. Hendrycks and K. Gimpel, 2016), or its tanh
 * approximation with `approximate: "tanh"`.
 *
 * @throws {InputError} if an option is invalid
 */
export function gelu(options: { approximate?: "none" | "tanh" } = {}): MarkedLayer {
  const { approximate } = layerOptions("gelu", geluSchema, options);
  return plainLayer({ type: "gelu", apply: (x) => applyGelu(x, { approximate }) });
}

/** Creates a hyperbolic tangent, element by element. */
export function tanh(): MarkedLayer {
  noOptions("tanh", arguments);
  return plainLayer({ type: "tanh", apply: applyTanh });
}

/** Creates a sigmoid: `1 / (1 + exp(-x))`, element by element. */
export function sigmoid(): MarkedLayer {
  noOptions("sigmoid", arguments);
  return plainLayer({ type: "sigmoid", apply: applySigmoid });
}

/** Creates a SiLU, or swish: `x sigmoid(x)`, element by element. */
export function silu(): MarkedLayer {
  noOptions("silu", arguments);
  return plainLayer({ type: "silu", apply: applySilu });
}

/** Creates a hard sigmoid: `min(max(x / 6 + 1/2, 0), 1)`, element by element. */
export function hardSigmoid(): MarkedLayer {
  noOptions("hardSigmoid", arguments);
  return plainLayer({ type: "hard_sigmoid", apply: applyHardSigmoid });
}

/** Creates a hard swish: `x hardSigmoid(x)`, element by element (A. Howard et al., 2019). */
export function hardSwish(): MarkedLayer {
  noOptions("hardSwish", arguments);
  return plainLayer({ type: "hard_swish", apply: applyHardSwish });
}

const number = z.number({ error: "expected a number" });

const leakyReluSchema = z.strictObject({ negativeSlope: number.default(0.01) });

/**
 * Creates a leaky ReLU: `x` above 0, `negativeSlope x` below.
 *
 * @throws {InputError} if an option is invalid
 */
export function leakyRelu(options: { negativeSlope?: number } = {}): MarkedLayer {
  const attrs = layerOptions("leakyRelu", leakyReluSchema, options);
  return plainLayer({ type: "leaky_relu", apply: (x) => applyLeakyRelu(x, attrs) });
}

const eluSchema = z.strictObject({ alpha: number.default(1) });

/**
 * Creates an ELU: `x` above 0, `alpha (e^x - 1)` below (D. Clevert et al., 2015).
 *
 * @throws {InputError} if an option is invalid
 */
export function elu(options: { alpha?: number } = {}): MarkedLayer {
  const attrs = layerOptions("elu", eluSchema, options);
  return plainLayer({ type: "elu", apply: (x) => applyElu(x, attrs) });
}

const softplusSchema = z.strictObject({
  beta: number.positive({ error: "expected more than 0" }).default(1),
  threshold: number.default(20),
});

/**
 * Creates a softplus: `log(1 + e^(beta x)) / beta`; `x` where `beta x` is above `threshold`.
 *
 * @throws {InputError} if an option is invalid
 */
export function softplus(options: { beta?: number; threshold?: number } = {}): MarkedLayer {
  const attrs = layerOptions("softplus", softplusSchema, options);
  return plainLayer({ type: "softplus", apply: (x) => applySoftplus(x, attrs) });
}

const dimSchema = z.strictObject({ dim: z.int({ error: "expected a whole number" }).default(-1) });

/**
 * Creates a softmax over a dimension, the last by default: `e^x` divided by its sum.
 *
 * @throws {InputError} if an option is invalid; on application, if the input lacks the dimension
 */
export function softmax(options: { dim?: number } = {}): MarkedLayer {
  const { dim } = layerOptions("softmax", dimSchema, options);
  return plainLayer({ type: "softmax", apply: (x) => applySoftmax(x, dim) });
}

/**
 * Creates the logarithm of a softmax over a dimension, the last by default.
 *
 * @throws {InputError} if an option is invalid; on application, if the input lacks the dimension
 */
export function logSoftmax(options: { dim?: number } = {}): MarkedLayer {
  const { dim } = layerOptions("logSoftmax", dimSchema, options);
  return plainLayer({ type: "log_softmax", apply: (x) => applyLogSoftmax(x, dim) });
}
