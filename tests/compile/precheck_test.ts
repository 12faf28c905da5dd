/** Checks of sizes before kernels are generated. */
import assert from "node:assert/strict";
import { adamW, crossEntropy, gpt, scenario, tensors } from "../../mod.ts";
import type { MemoryUse } from "../../runtime/compile/plan.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import lenet from "../../scripts/lenet.ts";
import mlp from "../../scripts/mlp.ts";
import resnet from "../../scripts/resnet.ts";
import { refuses } from "../support/refuses.ts";

/** Resolves the first variant of a script. */
function firstOf(script: Parameters<typeof resolveScenario>[0], overrides: readonly string[] = []) {
  const { config } = resolveScenario(script, { overrides }).variants[0]!;
  return { config, dataset: describeDataset(config.data) };
}

Deno.test("a tensor that the adapter cannot bind is refused before any kernel is chosen", () => {
  const { config, dataset } = firstOf(resnet, ["loader.batchSize=20000"]);
  let chosen = 0;
  refuses(
    () => compileVariant(config, dataset, DEFAULT_TRAITS, { choose: (_, [first]) => (chosen++, first!) }),
    /^model: "conv1 \(input\)" needs a tensor of/,
  );
  assert.equal(chosen, 0);
});

Deno.test("a parameter that the adapter cannot bind is refused by name, with its size and the fix", () => {
  const tokens = { shape: [8], data: new Int32Array(4 * 8) };
  const { config, dataset } = firstOf(scenario({
    name: "large",
    model: gpt(),
    loss: crossEntropy(),
    optimizer: adamW(),
    data: tensors({ input: tokens, target: tokens, classes: 50_257 }),
    loader: { batchSize: 4 },
  }));
  refuses(
    () => compileVariant(config, dataset, DEFAULT_TRAITS),
    'model: the parameter "transformer.wte.weight" f32[50257, 768] takes 147.2 MiB, but this adapter binds at most ' +
      '128.0 MiB at once; use a smaller layer, such as one of fewer rows, amp: "O3", which stores it in 73.6 MiB, ' +
      "or an adapter that binds more",
  );
});

Deno.test("too little memory is refused before any kernel is chosen", () => {
  const { config, dataset } = firstOf(resnet);
  let chosen = 0;
  const checkMemory = (memory: MemoryUse, least: boolean) => {
    assert(least);
    throw new InputError(`${memory.peak} bytes`);
  };
  assert.throws(
    () => compileVariant(config, dataset, DEFAULT_TRAITS, { choose: (_, [first]) => (chosen++, first!), checkMemory }),
    InputError,
  );
  assert.equal(chosen, 0);
});

Deno.test("the memory that is checked first is at most what the plan takes", () => {
  for (const [name, script] of Object.entries({ lenet, mlp, resnet })) {
    for (const deviceClass of ["cpu", "gpu"] as const) {
      for (const override of ["amp=O0", "amp=O2", "compile.fusion=false", "compile.inPlace=false", "mode=infer"]) {
        const { config, dataset } = firstOf(script, [override]);
        const seen: { memory: MemoryUse; least: boolean }[] = [];
        const checkMemory = (memory: MemoryUse, least: boolean) => void seen.push({ memory, least });
        compileVariant(config, dataset, { ...DEFAULT_TRAITS, class: deviceClass }, { checkMemory });
        assert.deepEqual(seen.map(({ least }) => least), [true, false]);
        const [least, actual] = seen.map(({ memory }) => memory) as [MemoryUse, MemoryUse];
        const title = `${name} ${deviceClass} ${override}: ${JSON.stringify([least, actual])}`;
        for (const part of ["parameters", "gradients", "optimizer"] as const) {
          assert.equal(least[part], actual[part], title);
        }
        assert(least.activations <= actual.activations + actual.workspace, title);
        assert(least.activations > 0, title);
      }
    }
  }
});
