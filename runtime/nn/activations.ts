import { z } from "zod";
import { gelu as applyGelu } from "../../ops/gelu.ts";
import { relu as applyRelu } from "../../ops/relu.ts";
import { sigmoid as applySigmoid } from "../../ops/sigmoid.ts";
import { tanh as applyTanh } from "../../ops/tanh.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Creates a ReLU: `max(x, 0)` element by element, for a tensor of any shape. */
export function relu(): MarkedLayer {
  return plainLayer({ type: "relu", apply: applyRelu });
}

const geluSchema = z.strictObject({
  approximate: z.enum(["none", "tanh"], { error: 'expected "none" or "tanh"' }).default("none"),
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
  return plainLayer({ type: "tanh", apply: applyTanh });
}

/** Creates a sigmoid: `1 / (1 + exp(-x))`, element by element. */
export function sigmoid(): MarkedLayer {
  return plainLayer({ type: "sigmoid", apply: applySigmoid });
}
