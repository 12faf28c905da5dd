import { lazyList } from "../runtime/core/lazy.ts";
import type { KernelPlan } from "../runtime/device/kernel.ts";
import { registerWeightGradPlan, sharesTap, type WeightGradTile } from "./kernels/conv_weight_grad.ts";
import type { WeightGradProblem } from "./kernels/conv_weight_grad_plan.ts";
import { quadsWeightGradPlan, weightGradQuadsFit } from "./kernels/conv_weight_grad_quads.ts";
import { simdWeightGradPlan, weightGradSimdFits } from "./kernels/conv_weight_grad_simd.ts";
import { tiledWeightGradPlans } from "./kernels/conv_weight_grad_tiled.ts";
import { weightGradWindowFits, windowWeightGradPlan } from "./kernels/conv_weight_grad_window.ts";
import { depthwise, depthwiseWeightGradPlan, isDepthwise } from "./kernels/depthwise.ts";
import { hasSimd, SIMD_LANES, simdLanes } from "./kernels/simd.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape } from "../runtime/core/shape.ts";
import { convDirect, convTiles } from "./kernels/conv_direct.ts";
import { convAxes, convPlan, type ConvProblem } from "./kernels/conv_plan.ts";
import { convSimd, simdConvTiles, smallSimdConvTiles } from "./kernels/conv_simd.ts";
import { leastParts, nestedIterations } from "./kernels/loop_limit.ts";
import { convRuns, runsFit, runsTile, wasteOfRuns, writesUnpadded } from "./kernels/conv_runs.ts";
import { convTiled } from "./kernels/conv_tiled.ts";
import { tiledTiles } from "./kernels/tiled_product.ts";
import { winogradFits, winogradPlan } from "./kernels/winograd.ts";
import { F2, F4 } from "./kernels/winograd_transforms.ts";
import type { ConvGeometry } from "./conv_geometry.ts";
import { matmulPlans } from "./kernels/matmul_plan.ts";

/**
 * Returns the candidate kernels of a convolution and of its input gradient, the default first. NCHW has only the direct
 * convolution: the other families read several channels of a pixel at once. Kernels are generated when a plan is read.
 */
export function convCandidates(problem: ConvProblem): readonly KernelPlan[] {
  const plans = families(problem);
  const pointwise = !problem.planes && isPointwise(problem.geometry) ? pointwisePlans(problem) : [];
  return lazyList(pointwise.length + plans.length, (i) => pointwise[i] ?? plans[i - pointwise.length]!());
}

/** Returns a function per plan that generates it, without the plans for 1 x 1 kernels. */
function families(problem: ConvProblem): (() => KernelPlan)[] {
  const { geometry, direction, traits } = problem;
  const [sourceChannels, targetChannels] = direction === "forward"
    ? [geometry.inputChannels, geometry.outputChannels]
    : [geometry.outputChannels, geometry.inputChannels];
  const order = direction === "forward" ? "packed" : "stored";
  // Kernels other than the direct ones, which no planes have, take four channels per iteration
  if (isTooDeep(problem, problem.planes ? sourceChannels : sourceChannels / 4)) {
    throw new InputError(
      `A convolution of ${sourceChannels} channels with a kernel of ${
        formatShape(geometry.kernelSize)
      } sums too many ` +
        "products for a software adapter, whose loops end early; use fewer channels, or a GPU",
    );
  }
  const plans = isTooDeep(problem, sourceChannels)
    ? []
    : convTiles(targetChannels, traits).map((tile) => () =>
      convPlan(problem, (options) => convDirect({ ...options, tile }))
    );
  if (problem.planes) return plans;
  if (hasSimd(traits) && sourceChannels % 4 === 0) {
    const simd = simdConvTiles(targetChannels).map((tile) => () =>
      convPlan(problem, (options) => convSimd({ ...options, tile }, order), true)
    );
    plans.unshift(...simd);
  }
  const { x } = convAxes(problem);
  if (hasSimd(traits) && x.every((axis) => runsFit(axis))) {
    const tile = runsTile(targetChannels, SIMD_LANES, 16);
    const aligned = sourceChannels % 4 === 0;
    const unpadded = targetChannels % 4 !== 0 &&
      x.every((axis) => writesUnpadded(targetChannels, geometry.groups, axis));
    const runs = () =>
      convPlan(
        problem,
        (options) => convRuns({ ...options, tile }, order, unpadded),
        aligned,
        unpadded,
      );
    const waste = Math.max(...x.map(wasteOfRuns));
    // With many channels, tiles of more channels and fewer pixels read less. They need source channels in multiples of
    // four. The direct kernels, which others are left with, take 1.35 times as long as runs of waste 1.6.
    const usual = aligned ? targetChannels <= 64 && waste < (targetChannels <= 8 ? 1.25 : 1.1) : waste < 2;
    if (usual) plans.unshift(runs);
    else plans.push(runs);
  }
  if (traits.class === "gpu") {
    const [h, w] = direction === "forward" ? geometry.outputSize : geometry.inputSize;
    const tiled = tiledTiles(geometry.batch * h * w, targetChannels, geometry.groups, traits)
      .map((tile) => () => convPlan(problem, (options) => convTiled(options, tile)));
    // A tile is at least 64 channels wide.
    if (targetChannels > 32) plans.unshift(...tiled);
    else plans.push(...tiled);
  }
  if (!hasSimd(traits)) plans.push(...untimedSimdPlans(problem, sourceChannels, targetChannels));
  if (traits.class === "gpu" && winogradFits(problem)) {
    // Unmeasured, so available to tuning only
    plans.push(...[F2, F4].map((algorithm) => () => winogradPlan(problem, algorithm)));
  }
  return isDepthwise(geometry) ? [() => depthwisePlan(problem), ...plans] : plans;
}

/** Returns true if an invocation that sums a pixel takes more iterations than a software adapter allows. */
function isTooDeep({ geometry, traits }: ConvProblem, channelSteps: number): boolean {
  const [height, width] = geometry.kernelSize;
  return leastParts(nestedIterations(height, width * (2 + channelSteps)), traits) > 1;
}

/**
 * Returns subgroup kernels for adapters on which they are unmeasured. They use few registers and are never the default.
 */
function untimedSimdPlans(problem: ConvProblem, sourceChannels: number, targetChannels: number): (() => KernelPlan)[] {
  const lanes = simdLanes(problem.traits);
  if (lanes === null) return [];
  const { geometry, direction } = problem;
  const { y, x } = convAxes(problem);
  const lines = geometry.batch * Math.min(...y.map(({ count }) => count));
  const pixels = Math.min(...x.map(({ count }) => count));
  const aligned = sourceChannels % 4 === 0;
  const order = direction === "forward" ? "packed" : "stored";
  const plans = (aligned ? smallSimdConvTiles(targetChannels, lines * pixels, lanes) : []).map((tile) => () =>
    convPlan(problem, (options) => convSimd({ ...options, tile }, order), true)
  );
  const tile = runsTile(targetChannels, lanes, 8);
  const little = x.every((axis) => wasteOfRuns(axis) < 2) && lines * pixels > lanes * tile.pixels / 2;
  if (x.every((axis) => runsFit(axis)) && little && targetChannels > 2) {
    plans.push(() => convPlan(problem, (options) => convRuns({ ...options, tile }, order), aligned));
  }
  return plans;
}

/** Returns the plan of a depthwise convolution. */
function depthwisePlan(problem: ConvProblem): KernelPlan {
  const { y, x } = convAxes(problem);
  const kernels = y.flatMap((y) => x.map((x) => depthwise({ ...problem, y, x })));
  return { name: kernels[0]!.name, kernels, workspace: [] };
}

/**
 * Returns the candidate kernels of a convolution's weight gradient, the default first. NCHW has only the family that reads
 * single elements of x: the others read several channels of a pixel at once. Kernels are generated when a plan is read.
 */
export function weightGradCandidates(problem: WeightGradProblem): readonly KernelPlan[] {
  const plans = weightGradFamilies(problem);
  const pointwise = !problem.planes && isPointwise(problem.geometry) ? pointwiseWeightGradPlans(problem) : [];
  return lazyList(pointwise.length + plans.length, (i) => pointwise[i] ?? plans[i - pointwise.length]!());
}

/** Returns a function per plan that generates it, without the plans for 1 x 1 kernels. */
function weightGradFamilies(problem: WeightGradProblem): (() => KernelPlan)[] {
  const { geometry, planes, traits } = problem;
  const { outputChannels } = geometry;
  const plans = registerTiles(problem).map((tile) => () => registerWeightGradPlan(problem, tile));
  if (planes) return plans;
  if (hasSimd(traits) && weightGradQuadsFit(geometry, traits)) {
    const quads = () => quadsWeightGradPlan(problem);
    // A stride leaves less to share, too little to justify another long compilation.
    if (geometry.stride[1] === 1) plans.unshift(quads);
    else plans.push(quads);
  }
  if (hasSimd(traits) && weightGradWindowFits(geometry)) plans.unshift(() => windowWeightGradPlan(problem));
  if (traits.class === "gpu") {
    const tiled = tiledWeightGradPlans(problem);
    // A tile is at least 64 channels wide.
    if (outputChannels > 32) plans.unshift(...tiled);
    else plans.push(...tiled);
  }
  const lanes = simdLanes(traits);
  if (traits.class === "gpu" && lanes !== null && weightGradSimdFits(geometry) && outputChannels > 2 * lanes) {
    // Unmeasured, so never the default. Uses few registers and a tile that is mostly filled.
    plans.push(() => simdWeightGradPlan(problem, { lanes, rows: 16, vectors: 1 }));
  }
  return isDepthwise(geometry) ? [() => depthwiseWeightGradPlan(problem), ...plans] : plans;
}

function registerTiles({ geometry, planes, traits }: WeightGradProblem): WeightGradTile[] {
  const vectors = geometry.outputChannels > 8 ? 4 : geometry.outputChannels > 4 ? 2 : 1;
  const rows: WeightGradTile = traits.class === "gpu"
    ? { lanes: 32, rows: 4, vectors: Math.min(vectors, 2), access: "rows" }
    : { lanes: 8, rows: 16, vectors, access: "rows" };
  return !planes && sharesTap(geometry, rows.rows) ? [{ ...rows, access: "channels" }, rows] : [rows];
}

/**
 * Returns true for a convolution with one tap, no padding, no stride and one group: a matrix product of the tensors as stored,
 * whose rows are pixels and whose columns are channels. There are no taps, edges or packed weights.
 */
function isPointwise({ kernelSize, stride, padding, groups }: ConvGeometry): boolean {
  const all = (pair: readonly [number, number], value: number) => pair[0] === value && pair[1] === value;
  return all(kernelSize, 1) && all(stride, 1) && all(padding, 0) && groups === 1;
}

/** Returns plans for y = x weight + bias or dx = dy weight^T. */
function pointwisePlans(problem: ConvProblem): readonly KernelPlan[] {
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
function pointwiseWeightGradPlans(problem: WeightGradProblem): readonly KernelPlan[] {
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
