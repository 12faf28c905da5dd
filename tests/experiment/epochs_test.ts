import assert from "node:assert/strict";
import { runScenario, tiny } from "./running.ts";

/** Runs epochs of 3 steps. Returns the number of losses, and of measured steps in each block, by variant. */
async function epochs(count: number, skip: number): Promise<Record<string, number[]>> {
  const settings = { loader: { batchSize: 16 }, measure: { skip }, epochs: count };
  const { variants } = await runScenario(tiny({ ...settings, variants: { steps: {}, sink: { sink: "epoch" } } }));
  return Object.fromEntries(
    variants.map(({ name, losses, blocks }) => [name, [losses.length, ...blocks.map(({ steps }) => steps.length)]]),
  );
}

Deno.test("every variant trains for the given number of epochs, including warm-up", async () => {
  assert.deepEqual(await epochs(2, 1), { steps: [6, 2, 3], sink: [6, 3, 3] });
  assert.deepEqual(await epochs(2, 0), { steps: [6, 3, 3], sink: [6, 3, 3] });
  assert.deepEqual(await epochs(1, 3), { steps: [3, 3], sink: [3, 3] }, "none where they would be all of it");
});
