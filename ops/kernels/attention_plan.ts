/**
 * Choice of kernels for tiled attention.
 *
 * @module
 */
import { lazyList } from "../../runtime/core/lazy_list.ts";
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { attentionBlocks, blocksBytes, type BlocksTile } from "./attention_blocks.ts";
import { attentionDelta } from "./attention_delta.ts";
import { attentionLanes } from "./attention_lanes.ts";
import {
  type AttentionPass,
  type AttentionProblem,
  FORWARD,
  KEY_GRAD,
  QUERY_GRAD,
  vectorsOf,
} from "./attention_pass.ts";
import { type WindowedAttention, windowedAttention, windowedAttentionGrad } from "./attention_windows.ts";

/** Builds the kernel of a pass with one tile. */
type Build = (problem: AttentionProblem, pass: AttentionPass) => KernelSpec;

/** Tiles for GPUs, the default first. */
const BLOCKS: readonly BlocksTile[] = [{ own: 8, other: 8 }, { own: 16, other: 8 }];

/** Returns the plans of the forward pass, the default first. Generates the kernels of a plan when it is read. */
export function attentionPlans(problem: AttentionProblem, traits: DeviceTraits): readonly KernelPlan[] {
  const made = builds(problem, [FORWARD], traits).map((build) => (): KernelPlan => {
    const kernel = build(problem, FORWARD);
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  });
  return withWindows(made, windowedAttention(problem, traits));
}

/** Returns the plans of the gradients, the default first. The problem's pairs are workspace 0. */
export function attentionGradPlans(problem: AttentionProblem, traits: DeviceTraits): readonly KernelPlan[] {
  const { n, heads, queries } = problem;
  const made = builds(problem, [QUERY_GRAD, KEY_GRAD], traits).map((build) => (): KernelPlan => {
    const kernels = [attentionDelta(problem, traits), build(problem, QUERY_GRAD), build(problem, KEY_GRAD)];
    return { name: kernels[2]!.name, kernels, workspace: [8 * n * heads * queries] };
  });
  return withWindows(made, windowedAttentionGrad(problem, traits));
}

/** Adds the plan with windows, as the default if it is worthwhile. */
function withWindows(plans: (() => KernelPlan)[], windowed: WindowedAttention | null): readonly KernelPlan[] {
  if (windowed !== null) plans.splice(windowed.worthwhile ? 0 : plans.length, 0, () => windowed.plan());
  return lazyList(plans.length, (i) => plans[i]!());
}

function builds(problem: AttentionProblem, passes: readonly AttentionPass[], traits: DeviceTraits): Build[] {
  const { maxWorkgroupBytes: most } = traits;
  if (traits.class === "cpu") {
    const rows = vectorsOf(problem, "q") >= 8 ? [32, 16] as const : [16, 32] as const;
    return rows.map((rows) => (problem, pass) => attentionLanes(problem, pass, { rows }, traits));
  }
  // The larger tile is unmeasured on GPUs, so never the default
  return BLOCKS.filter((tile, i) => i === 0 || passes.every((pass) => blocksBytes(problem, pass, tile) <= most))
    .map((tile) => (problem, pass) => attentionBlocks(problem, pass, tile, traits));
}
