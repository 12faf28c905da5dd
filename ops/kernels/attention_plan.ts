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

/** Builds the kernel of a pass with one tile. */
type Build = (problem: AttentionProblem, pass: AttentionPass) => KernelSpec;

/** Tiles for GPUs, the default first. */
const BLOCKS: readonly BlocksTile[] = [{ own: 8, other: 8 }, { own: 16, other: 8 }];

/** Returns the plans of the forward pass, the default first. Generates the kernels of a plan when it is read. */
export function attentionPlans(problem: AttentionProblem, traits: DeviceTraits): readonly KernelPlan[] {
  const made = builds(problem, [FORWARD], traits);
  return lazyList(made.length, (i) => {
    const kernel = made[i]!(problem, FORWARD);
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  });
}

/** Returns the plans of the gradients, the default first. The problem's pairs are workspace 0. */
export function attentionGradPlans(problem: AttentionProblem, traits: DeviceTraits): readonly KernelPlan[] {
  const { n, heads, queries } = problem;
  const made = builds(problem, [QUERY_GRAD, KEY_GRAD], traits);
  return lazyList(made.length, (i) => {
    const build = made[i]!;
    const kernels = [attentionDelta(problem, traits), build(problem, QUERY_GRAD), build(problem, KEY_GRAD)];
    return { name: kernels[2]!.name, kernels, workspace: [8 * n * heads * queries] };
  });
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
