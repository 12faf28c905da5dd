import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type AttentionProblem, DELTA, passCode, vectorsOf } from "./attention_pass.ts";

/** Returns the kernel that pairs the logarithm of each row of weights with the sum of y dy; an invocation does a row. */
export function attentionDelta(problem: AttentionProblem, traits: DeviceTraits): KernelSpec {
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
