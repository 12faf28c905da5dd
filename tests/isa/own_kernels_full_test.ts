/** Estimates of Tacho's own kernels: goals, and that no default kernel spills on three generations of GPUs. */
import assert from "node:assert/strict";
import { DEFAULT_GPUS, findGpu } from "../../runtime/isa/gpus.ts";
import { estimateKernels } from "../../runtime/isa/estimate.ts";
import { instructionsPerMultiplyAdd, spillsOf } from "../../runtime/isa/tables.ts";
import type { IsaEstimate } from "../../runtime/isa/types.ts";
import { dryRun } from "../../runtime/experiment/run_experiment.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import gpt from "../../scripts/gpt.ts";
import { benchKernels } from "../../bench/isa/kernels.ts";
import { compilerTest } from "./driver.ts";

/** Estimates the default kernels of the benchmark's cases whose names match. */
async function estimatesOf(pattern: RegExp, gpus: readonly string[] = DEFAULT_GPUS): Promise<IsaEstimate["rows"]> {
  const kernels = [...benchKernels()].filter(({ name }) => pattern.test(name));
  assert.ok(kernels.length > 0, `no kernel matches ${pattern}`);
  const { rows } = await estimateKernels(kernels, { gpus: gpus.map(findGpu) });
  for (const { kernel, gpu, error } of rows) assert.equal(error, null, `${kernel} on ${gpu}`);
  return rows;
}

compilerTest("no default kernel spills", async () => {
  const rows = await estimatesOf(/./);
  assert.ok(rows.length > 300, `${rows.length} kernels`);
  const spilling = rows.filter(({ figures }) => spillsOf(figures!) !== 0);
  assert.deepEqual(spilling.map(({ kernel, gpu, figures }) => [kernel, gpu, figures!.spilledVector]), []);
});

compilerTest("tiled attention takes at most 1.5 instructions per multiply-add, in f32 on all three", async () => {
  const rows = [
    ...await estimatesOf(/^attention\.\w+\.f32.*blocks/),
    ...await estimatesOf(/^attention\.\w+\.f16.*blocks/, ["navi21", "gfx1100"]),
  ];
  for (const { kernel, gpu, figures } of rows) {
    const ratio = instructionsPerMultiplyAdd(figures!)!;
    assert.ok(ratio <= 1.5, `${kernel} on ${gpu}: ${ratio}`);
    assert.ok(figures!.loop!.clamps <= 2, `${kernel} on ${gpu}: ${figures!.loop!.clamps} clamps`);
  }
});

// The goal was 6: the sums of 64 columns, the products and two quads of each side take 96 registers, room for 5 waves.
// The gradient of keys and values has twice the sums and products
compilerTest(
  "tiled attention holds five waves of RDNA forward, four for the gradient of queries, three for that of keys",
  async () => {
    for (const { kernel, gpu, figures } of await estimatesOf(/^attention\.\w+\.f\d+.*blocks/, ["navi21", "gfx1100"])) {
      const least = kernel.includes("key_grad") ? 3 : kernel.includes("query_grad") ? 4 : 5;
      assert.ok(figures!.waves! >= least, `${kernel} on ${gpu}: ${figures!.waves}`);
    }
  },
);

compilerTest(
  "tiled convolutions take at most 1.35 instructions per multiply-add, and multiply no integers in the loop",
  async () => {
    for (const { kernel, gpu, figures } of await estimatesOf(/^conv2d\.forward\.f\d+_.*tiled/)) {
      const ratio = instructionsPerMultiplyAdd(figures!)!;
      assert.ok(ratio <= 1.35, `${kernel} on ${gpu}: ${ratio}`);
      assert.equal(figures!.loop!.integerMultiplications, 0, `${kernel} on ${gpu}`);
    }
  },
);

compilerTest("walks of rows multiply no integers in the loop, and have four rows in flight", async () => {
  const rows = await estimatesOf(/^(layer_norm\.weight_grad\.f|batch_norm\.(statistics|apply)|bias_grad\.sums)/);
  for (const { kernel, gpu, figures } of rows) {
    const { integerMultiplications, loads64, loads128 } = figures!.loop!;
    assert.equal(integerMultiplications, 0, `${kernel} on ${gpu}`);
    assert.ok(loads64 + loads128 >= 4, `${kernel} on ${gpu}: ${loads64 + loads128} loads`);
  }
});

compilerTest("reductions have four loads in flight", async () => {
  for (const { kernel, gpu, figures } of await estimatesOf(/^reduce(_parts)?\.(sum|max|mean)/)) {
    const { loads32, loads64, loads128, waits } = figures!.loop!;
    assert.ok(
      loads32 + loads64 + loads128 >= 4,
      `${kernel} on ${gpu}: ${loads32}, ${loads64}, ${loads128}; ${waits} waits`,
    );
  }
});

compilerTest("kernels of rows leave no lane idle, those of short rows either", async () => {
  const { variants } = await dryRun(resolveScenario(gpt, { variants: ["baseline"] }), { kernels: true });
  const kernels = variants[0]!.kernels!.filter(({ name }) => /^(layer_norm|softmax|cross_entropy)/.test(name));
  assert.ok(kernels.length >= 6);
  const { rows } = await estimateKernels(kernels, { gpus: [findGpu("navi21")] });
  const idle = rows.filter(({ advice }) => advice.some(({ rule }) => rule === "idle-lanes"));
  assert.deepEqual(idle.map(({ kernel }) => kernel), []);
});
