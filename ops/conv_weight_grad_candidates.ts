/**
 * Candidate kernels of a convolution's weight gradient, the default first. NCHW has only the family that reads single
 * elements of x: the others read several channels of a pixel at once. Kernels are generated when a plan is read.
 *
 * @module
 */
import { lazyList } from "../runtime/core/lazy_list.ts";
import type { KernelPlan } from "../runtime/device/kernel.ts";
import { isPointwise, pointwiseWeightGradPlans } from "./kernels/conv_pointwise.ts";
import { registerWeightGradPlan, sharesTap, type WeightGradTile } from "./kernels/conv_weight_grad.ts";
import type { WeightGradProblem } from "./kernels/conv_weight_grad_plan.ts";
import { quadsWeightGradPlan, weightGradQuadsFit } from "./kernels/conv_weight_grad_quads.ts";
import { simdWeightGradPlan, weightGradSimdFits } from "./kernels/conv_weight_grad_simd.ts";
import { tiledWeightGradPlans } from "./kernels/conv_weight_grad_tiled.ts";
import { weightGradWindowFits, windowWeightGradPlan } from "./kernels/conv_weight_grad_window.ts";
import { isDepthwise } from "./kernels/depthwise.ts";
import { depthwiseWeightGradPlan } from "./kernels/depthwise_weight_grad.ts";
import { hasSimd, simdLanes } from "./kernels/simd.ts";

export function weightGradCandidates(problem: WeightGradProblem): readonly KernelPlan[] {
  const plans = families(problem);
  const pointwise = !problem.planes && isPointwise(problem.geometry) ? pointwiseWeightGradPlans(problem) : [];
  return lazyList(pointwise.length + plans.length, (i) => pointwise[i] ?? plans[i - pointwise.length]!());
}

/** Returns a function per plan that generates it, without the plans for 1 x 1 kernels. */
function families(problem: WeightGradProblem): (() => KernelPlan)[] {
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
