/**
 * What is minimised, as plain records that the command line can reach into.
 *
 * @module
 */
import { z } from "zod";
import { crossEntropy as applyCrossEntropy } from "../../ops/cross_entropy.ts";
import { meanSquaredError as applyMeanSquaredError } from "../../ops/mean_squared_error.ts";
import { toLayout } from "../../ops/to_layout.ts";
import { isFloat } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { sameShape } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import { dropProbability } from "./options.ts";

const crossEntropySchema = z.strictObject({
  kind: z.literal("crossEntropy"),
  labelSmoothing: dropProbability.default(0).describe("part of the target spread evenly over all classes"),
});

const meanSquaredErrorSchema = z.strictObject({ kind: z.literal("meanSquaredError") });

/** Any loss, told apart by `kind`. */
export const lossSchema = z.discriminatedUnion("kind", [crossEntropySchema, meanSquaredErrorSchema], {
  error: "expected a loss: crossEntropy() or meanSquaredError()",
});

export type CrossEntropySpec = z.infer<typeof crossEntropySchema>;
export type MeanSquaredErrorSpec = z.infer<typeof meanSquaredErrorSchema>;
export type LossSpec = z.infer<typeof lossSchema>;

/** Mean softmax cross-entropy of logits `[n, classes]` against class indices `[n]`, as PyTorch's `CrossEntropyLoss`. */
export function crossEntropy(options: { labelSmoothing?: number } = {}): CrossEntropySpec {
  return { kind: "crossEntropy", labelSmoothing: 0, ...options };
}

/** Mean of the squared differences over all elements, as PyTorch's `MSELoss`. */
export function meanSquaredError(): MeanSquaredErrorSpec {
  return { kind: "meanSquaredError" };
}

/**
 * Adds the loss, an f32 `[1]`, to the output's graph as the layer `loss`.
 *
 * @throws {InputError} if output and target do not fit, naming both types
 */
export function applyLoss(spec: LossSpec, output: Tensor, target: Tensor): Tensor {
  const { graph } = output;
  const path = graph.layerPath("loss");
  return graph.inLayer(path, () => {
    switch (spec.kind) {
      case "crossEntropy":
        return applyCrossEntropy(output, target, { labelSmoothing: spec.labelSmoothing });
      case "meanSquaredError":
        if (!isFloat(target.dtype)) {
          throw new InputError(
            `model: layer "${path}": meanSquaredError() expects targets that are numbers, got class indices; use ` +
              "crossEntropy(), or transforms.oneHot()",
          );
        }
        return applyMeanSquaredError(output, aligned(target, output));
    }
  });
}

/** The target in the order that the output has in memory: images arrive row by row. */
function aligned(target: Tensor, output: Tensor): Tensor {
  return sameShape(target.shape, output.shape) ? toLayout(target, output.type.layout) : target;
}
