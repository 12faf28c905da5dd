import { z } from "zod";
import { pointwiseLoss } from "../../../ops/pointwise_loss.ts";
import { record } from "../../data/kinds.ts";
import { pointwise } from "./loss_def.ts";
import type { MeanSquaredErrorSpec } from "./types.ts";

const schema = z.strictObject({ kind: z.literal("meanSquaredError") });

/** Creates a mean squared error loss over all elements, like PyTorch's `MSELoss`. */
export function meanSquaredError(): MeanSquaredErrorSpec {
  return record(schema, {});
}

export const meanSquaredErrorOp = pointwiseLoss({
  type: "mean_squared_error",
  aliases: { nnc: "SquaredError", paddle: "mse_loss", mindinsight: "MSELoss" },
  statements: "let d = a - b;",
  value: "d * d",
  slope: { value: "a - b", factor: 2 },
  flops: [3, 2],
});

export const meanSquaredErrorLoss = pointwise(schema, meanSquaredErrorOp, (a, b) => (a - b) ** 2);
