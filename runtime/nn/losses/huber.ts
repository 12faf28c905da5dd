import { z } from "zod";
import { pointwiseLoss } from "../../../ops/pointwise_loss.ts";
import { record } from "../../data/kinds.ts";
import { pointwise } from "./loss_def.ts";
import type { HuberOptions, HuberSpec } from "./types.ts";

const schema = z.strictObject({
  kind: z.literal("huber"),
  delta: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(1)
    .describe("absolute error from which the loss grows linearly"),
});

/**
 * Creates a Huber loss: the mean over all elements of d^2 / 2 if |d| <= delta, and delta (|d| - delta / 2) otherwise, with
 * d = output - target (P. J. Huber, "Robust estimation of a location parameter", 1964), like PyTorch's `HuberLoss`.
 */
export function huber(options: HuberOptions = {}): HuberSpec {
  return record(schema, options);
}

export const huberOp = pointwiseLoss<Pick<HuberSpec, "delta">>({
  type: "huber",
  aliases: { nnc: "HuberLoss", paddle: "huber_loss" },
  uniforms: ({ delta }) => ({ delta: { f32: delta } }),
  statements: "let d = abs(a - b);",
  value: "select(u.delta * (d - 0.5 * u.delta), 0.5 * d * d, d <= vec4<f32>(u.delta))",
  slope: { value: "clamp(a - b, vec4<f32>(-u.delta), vec4<f32>(u.delta))" },
  flops: [6, 4],
});

export const huberLoss = pointwise(schema, huberOp, (a, b, { delta }) => {
  const d = Math.abs(a - b);
  return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
});
