import { z } from "zod";
import { gelu as applyGelu } from "../../ops/gelu.ts";
import { relu as applyRelu } from "../../ops/relu.ts";
import { sigmoid as applySigmoid } from "../../ops/sigmoid.ts";
import { tanh as applyTanh } from "../../ops/tanh.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** `max(x, 0)` of each element. */
export function relu(): MarkedLayer {
  return plainLayer({ type: "relu", apply: applyRelu });
}

const geluSchema = z.strictObject({
  approximate: z.enum(["none", "tanh"], { error: 'expected "none" or "tanh"' }).default("none"),
});

/**
 * `x P(X <= x)` of each element for a standard normal X; `approximate: "tanh"` for the usual approximation.
 *
 * @throws {InputError} if an option is invalid
 */
export function gelu(options: { approximate?: "none" | "tanh" } = {}): MarkedLayer {
  const { approximate } = layerOptions("gelu", geluSchema, options);
  return plainLayer({ type: "gelu", apply: (x) => applyGelu(x, { approximate }) });
}

/** Hyperbolic tangent of each element. */
export function tanh(): MarkedLayer {
  return plainLayer({ type: "tanh", apply: applyTanh });
}

/** `1 / (1 + exp(-x))` of each element. */
export function sigmoid(): MarkedLayer {
  return plainLayer({ type: "sigmoid", apply: applySigmoid });
}
