import assert from "node:assert/strict";
import { crossEntropy, resnet, sgd, syntheticImages } from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";

const { config } = resolveScenario({
  name: "resnet20",
  model: resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: syntheticImages({ height: 32, width: 32, classes: 10, length: 64 }),
  loader: { batchSize: 32 },
}).variants[0]!;

/** Dispatches of a step of ResNet-20, and pipelines: kernels that differ in more than uniforms and grids. */
function countOf(
  adapter: "cpu" | "gpu",
  subgroupSize: number | null = null,
): { dispatches: number; pipelines: number } {
  const traits = { ...DEFAULT_TRAITS, class: adapter, subgroupSize };
  const { plan } = compileVariant(config, describeDataset(config.data), traits);
  const kernels = plan.segments.flatMap(({ dispatches }) => dispatches.map(({ kernel }) => kernel));
  const sources = kernels.map(({ wgsl, bindings }) => `${bindings.map(({ access }) => access)} ${wgsl}`);
  return { dispatches: kernels.length, pipelines: new Set(sources).size };
}

Deno.test("a step of ResNet-20 needs no more dispatches and pipelines than before", () => {
  assert.deepEqual(countOf("cpu"), { dispatches: 260, pipelines: 33 });
  assert.deepEqual(countOf("cpu", 8), { dispatches: 240, pipelines: 39 });
  assert.deepEqual(countOf("gpu"), { dispatches: 250, pipelines: 54 });
});
