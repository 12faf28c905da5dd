/**
 * The list of losses, and functions that add a loss to a graph. A loss is a plain record, which overrides can change.
 *
 * @module
 */
import { z } from "zod";
import { reshapeTo } from "../../ops/reshape.ts";
import { targetShape } from "../../ops/cross_entropy.ts";
import { toLayout } from "../../ops/to_layout.ts";
import { isFloat } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { sameShape, sizeOf } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import { factoryNames, kindOf, schemasOf } from "../data/kinds.ts";
import { binaryCrossEntropyLoss } from "./losses/binary_cross_entropy.ts";
import { crossEntropyLoss } from "./losses/cross_entropy.ts";
import { customLoss, customLossOf, type CustomLossSpec, type LossFunction } from "./losses/custom.ts";
import type { Fields, LossDef, SampleLosses } from "./losses/loss_def.ts";
import { huberLoss } from "./losses/huber.ts";
import { meanSquaredErrorLoss } from "./losses/mean_squared_error.ts";
import type { FactoryLossSpec } from "./losses/types.ts";

/** Record of any loss, a loss in code included. */
export type LossSpec = FactoryLossSpec | CustomLossSpec;

/** Losses with a factory. */
export const LOSSES = [crossEntropyLoss, meanSquaredErrorLoss, binaryCrossEntropyLoss, huberLoss] as const;

const ALL = [...LOSSES, customLoss] as const;

/** Schema of a loss, by `kind`. */
export const lossSchema = z.discriminatedUnion("kind", schemasOf(ALL), {
  error: `expected a loss: ${factoryNames(LOSSES)}, or a function of output and target`,
});

/** Returns the definition of a loss. */
export function lossOf(spec: LossSpec): LossDef {
  return ALL.find((definition) => kindOf(definition) === spec.kind)! as LossDef;
}

/** Returns true for a loss whose targets are class indices. */
export function comparesClasses(spec: LossSpec | null): boolean {
  return spec !== null && lossOf(spec).targets === "classes";
}

/** Returns the class index of targets that the loss ignores; null if it ignores none. */
export function ignoredClass(spec: LossSpec | null): number | null {
  return spec === null ? null : lossOf(spec).ignored?.(spec) ?? null;
}

/**
 * Adds the mean loss of a batch, an f32 `[1]`, to the output's graph as the layer `loss`. Losses in code call it to extend
 * another loss.
 *
 * @example
 * ```ts
 * import { add, applyLoss, crossEntropy, mean, mul, type Tensor } from "@tacho/tacho";
 *
 * const loss = (output: Tensor, target: Tensor) =>
 *   add(applyLoss(crossEntropy(), output, target), mul(1e-4, mean(mul(output, output))));
 * ```
 *
 * @param fields further fields of the batch, by name
 * @throws {InputError} if output and target do not fit, naming both types
 */
export function applyLoss(spec: LossSpec | LossFunction, output: Tensor, target: Tensor, fields: Fields = {}): Tensor {
  const loss = typeof spec === "function" ? customLossOf(spec) : spec;
  const { graph } = output;
  const definition = lossOf(loss);
  const path = graph.layerPath("loss");
  return graph.inLayer(path, () => {
    if (definition.targets !== "numbers") return definition.apply(loss, output, aligned(target, output), fields);
    if (!isFloat(target.dtype)) {
      throw new InputError(
        `model: layer "${path}": ${loss.kind}() expects targets that are numbers, got class indices; use ` +
          `${factoryNames(LOSSES.filter(({ targets }) => targets === "classes"))}, or transforms.oneHot()`,
      );
    }
    return definition.apply(loss, output, aligned(target, output), fields);
  });
}

/**
 * Adds the scores of each sample, f32 `[n]`, to the output's graph.
 *
 * @returns null if the loss does not accept the target
 */
export function applyPerSample(
  spec: LossSpec,
  output: Tensor,
  target: Tensor,
  fields: Fields = {},
): SampleLosses | null {
  const definition = lossOf(spec);
  const { targets } = definition;
  if (targets === "any") return definition.perSample(spec, output, aligned(target, output), fields);
  if (targets === "classes") {
    return isClasses(output, target) ? definition.perSample(spec, output, target, fields) : null;
  }
  if (!isFloat(target.dtype) || sizeOf(target.shape) !== sizeOf(output.shape)) return null;
  const like = reshapeTo(target, { shape: output.shape, layout: "row" });
  return definition.perSample(spec, output, aligned(like, output), fields);
}

/** Returns true for class indices: one per sample, or one per row of the output, such as a token or a pixel. */
export function isClasses(output: Pick<Tensor, "type">, { type: { dtype, shape } }: Pick<Tensor, "type">): boolean {
  if (dtype !== "i32") return false;
  return shape.length === 1 || (output.type.shape.length > 1 && sameShape(shape, targetShape(output.type)));
}

/** Converts the target to the output's memory layout, since images arrive in row-major order. */
function aligned(target: Tensor, output: Tensor): Tensor {
  return isFloat(target.dtype) && sameShape(target.shape, output.shape) ? toLayout(target, output.type.layout) : target;
}
