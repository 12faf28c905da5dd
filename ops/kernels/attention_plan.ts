/**
 * Choice of kernels for tiled attention.
 *
 * @module
 */
import { lazyList } from "../../runtime/core/lazy.ts";
import {
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { attentionBlocks, blocksBytes, type BlocksTile } from "./attention_blocks.ts";
import { attentionLanes } from "./attention_lanes.ts";
import {
  type AttentionPass,
  type AttentionProblem,
  DELTA,
  FORWARD,
  KEY_GRAD,
  passCode,
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

/** Returns the kernel that pairs the logarithm of each row of weights with the sum of y dy; an invocation does a row. */
function attentionDelta(problem: AttentionProblem, traits: DeviceTraits): KernelSpec {
  const { n, heads, queries } = problem;
  const code = passCode(problem, DELTA);
  const lanes = traits.class === "cpu" ? 8 : 64;
  return defineKernel({
    name: `attention.${code.variant}`,
    buffers: code.buffers,
    uniforms: { ...code.uniforms, rows: n * heads * queries, vectors: vectorsOf(problem, "y") },
    workgroupSize: [lanes],
    grid: linearGrid(n * heads * queries, lanes, traits.maxWorkgroupsPerDimension),
    prelude: code.prelude,
    body: `let row = ${LINEAR_INDEX(lanes)};
if (row >= u.rows) { return; }
let query = row % u.queries;
let head = row / u.queries % u.heads;
let sample = row / u.queries / u.heads;
let y = y_row(sample, head, query);
let dy = dy_row(sample, head, query);
var products = vec4<f32>();
for (var k = 0u; k < u.vectors; k++) { products += y_load(y, k) * dy_load(dy, k); }
pairs_[row] = vec2<f32>(logarithms_[row], (products.x + products.y) + (products.z + products.w));`,
  });
}
