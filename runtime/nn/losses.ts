/**
 * The list of losses, and functions that add a loss to a graph. A loss is a plain record, which overrides can change.
 *
 * @module
 */
import { z } from "zod";
import { flatten } from "../../ops/flatten.ts";
import { reshapeTo } from "../../ops/reshape.ts";
import { toLayout } from "../../ops/to_layout.ts";
import { isFloat } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { sameShape, sizeOf } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import type { TensorType } from "../graph/types.ts";
import { factoryNames, kindOf, schemasOf } from "../data/kinds.ts";
import { binaryCrossEntropyLoss } from "./losses/binary_cross_entropy.ts";
import { crossEntropyLoss } from "./losses/cross_entropy.ts";
import type { LossDef } from "./losses/loss_def.ts";
import { huberLoss } from "./losses/huber.ts";
import { meanSquaredErrorLoss } from "./losses/mean_squared_error.ts";

/** All losses. */
export const LOSSES = [crossEntropyLoss, meanSquaredErrorLoss, binaryCrossEntropyLoss, huberLoss] as const;

/** Schema of a loss, by `kind`. */
export const lossSchema = z.discriminatedUnion("kind", schemasOf(LOSSES), {
  error: `expected a loss: ${factoryNames(LOSSES)}`,
});

export type LossSpec = z.output<typeof lossSchema>;

/** Returns the definition of a loss. */
export function lossOf(spec: LossSpec): LossDef {
  return LOSSES.find((definition) => kindOf(definition) === spec.kind)!;
}

/** Returns true for a loss whose targets are class indices. */
export function comparesClasses(spec: LossSpec | null): boolean {
  return spec !== null && lossOf(spec).targets === "classes";
}

/**
 * Adds the loss, an f32 `[1]`, to the output's graph as the layer `loss`.
 *
 * @throws {InputError} if output and target do not fit, naming both types
 */
export function applyLoss(spec: LossSpec, output: Tensor, target: Tensor): Tensor {
  const { graph } = output;
  const definition = lossOf(spec);
  const path = graph.layerPath("loss");
  return graph.inLayer(path, () => {
    if (definition.targets === "classes") return definition.apply(spec, output, target);
    if (!isFloat(target.dtype)) {
      throw new InputError(
        `model: layer "${path}": ${spec.kind}() expects targets that are numbers, got class indices; use ` +
          `${factoryNames(LOSSES.filter(({ targets }) => targets === "classes"))}, or transforms.oneHot()`,
      );
    }
    return definition.apply(spec, output, aligned(target, output));
  });
}

/**
 * Adds the loss of each sample, an f32 `[n]`, to the output's graph.
 *
 * @returns null if the loss does not accept the target
 */
export function applyPerSample(spec: LossSpec, output: Tensor, target: Tensor): Tensor | null {
  const definition = lossOf(spec);
  if (definition.targets === "classes") {
    return isClasses(target.type) ? definition.perSample(spec, flatten(output), target) : null;
  }
  if (!isFloat(target.dtype) || sizeOf(target.shape) !== sizeOf(output.shape)) return null;
  return definition.perSample(spec, output, aligned(reshapeTo(target, { shape: output.shape, layout: "row" }), output));
}

/** Returns true for one class index per sample. */
export function isClasses({ dtype, shape }: Pick<TensorType, "dtype" | "shape">): boolean {
  return dtype === "i32" && shape.length === 1;
}

/** Converts the target to the output's memory layout, since images arrive in row-major order. */
function aligned(target: Tensor, output: Tensor): Tensor {
  return sameShape(target.shape, output.shape) ? toLayout(target, output.type.layout) : target;
}
