/**
 * Convolutions with 1 x 1 kernels as matrix products of the tensors as stored: rows are pixels, columns are channels.
 * There are no taps, edges or packed weights.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { ConvGeometry } from "../conv_geometry.ts";
import type { ConvProblem } from "./conv_plan.ts";
import type { WeightGradProblem } from "./conv_weight_grad_plan.ts";
import { matmulPlans } from "./matmul_plan.ts";

/** Returns true for a convolution with one tap, no padding, no stride and one group. */
export function isPointwise({ kernelSize, stride, padding, groups }: ConvGeometry): boolean {
  const all = (pair: readonly [number, number], value: number) => pair[0] === value && pair[1] === value;
  return all(kernelSize, 1) && all(stride, 1) && all(padding, 0) && groups === 1;
}

/** Returns plans for y = x weight + bias or dx = dy weight^T. */
export function pointwisePlans(problem: ConvProblem): readonly KernelPlan[] {
  const { name, source, weight, bias, target, geometry, direction, traits } = problem;
  const forward = direction === "forward";
  const { inputChannels, outputChannels } = geometry;
  return matmulPlans({
    name: `${name}.pointwise`,
    a: { ...source, order: "rows", batched: false },
    b: { ...weight, order: forward ? "rows" : "columns", batched: false },
    bias,
    c: target,
    batch: 1,
    m: pixelsOf(geometry),
    n: forward ? outputChannels : inputChannels,
    k: forward ? inputChannels : outputChannels,
    sumBatch: false,
  }, traits);
}

/** Returns plans for dW = x^T dy. */
export function pointwiseWeightGradPlans(problem: WeightGradProblem): readonly KernelPlan[] {
  const { name, x, dy, target, geometry, traits } = problem;
  return matmulPlans({
    name: `${name}.pointwise`,
    a: { ...x, order: "columns", batched: false },
    b: { ...dy, order: "rows", batched: false },
    bias: null,
    c: target,
    batch: 1,
    m: geometry.inputChannels,
    n: geometry.outputChannels,
    k: pixelsOf(geometry),
    sumBatch: false,
  }, traits);
}

function pixelsOf({ batch, outputSize }: ConvGeometry): number {
  return batch * outputSize[0] * outputSize[1];
}
