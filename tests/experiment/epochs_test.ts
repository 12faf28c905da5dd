import assert from "node:assert/strict";
import { crossEntropy, linear, scenario, sequential, sgd, tensors } from "../../mod.ts";
import { runExperiment } from "../../runtime/experiment/run_experiment.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";

/** Runs epochs of 3 steps. Returns the number of losses, and of measured steps in each block, by variant. */
async function epochs(count: number, skip: number): Promise<Record<string, number[]>> {
  const trained = scenario({
    name: "epochs",
    model: sequential({ fc: linear(3) }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tensors({
      input: { shape: [5], data: new Float32Array(5 * 12) },
      target: { data: new Int32Array(12) },
      classes: 3,
    }),
    loader: { batchSize: 4 },
    measure: { skip },
    epochs: count,
    variants: { steps: {}, sink: { sink: "epoch" } },
  });
  const { variants } = await runExperiment(resolveScenario(trained), {
    interrupted: () => false,
    profile: null,
    script: { file: null, sha256: null },
  });
  return Object.fromEntries(
    variants.map(({ name, losses, blocks }) => [name, [losses.length, ...blocks.map(({ steps }) => steps.length)]]),
  );
}

Deno.test("every variant trains for the given number of epochs, including warm-up", async () => {
  assert.deepEqual(await epochs(2, 1), { steps: [6, 2, 3], sink: [6, 3, 3] });
  assert.deepEqual(await epochs(2, 0), { steps: [6, 3, 3], sink: [6, 3, 3] });
  assert.deepEqual(await epochs(1, 3), { steps: [3, 3], sink: [3, 3] }, "none where they would be all of it");
});
