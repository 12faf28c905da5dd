import assert from "node:assert/strict";
import { adam, crossEntropy, mlp, type ScenarioDefinition } from "../../mod.ts";
import { withOpenSession } from "../support/session.ts";
import { normals } from "../support/reference/random.ts";
import { assertSameBits, bitsOf, classified } from "../trainer/models.ts";

const definition: ScenarioDefinition<Record<never, never>> = {
  name: "chunked",
  model: mlp({ hidden: [100, 100, 100], classes: 3 }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 0.01 }),
  data: classified([50], 3),
  loader: { batchSize: 4 },
  amp: "O2",
};

/** Parameters after three steps, and the number of dispatches of the update. */
async function trained(largestBinding: number | null) {
  const traits = largestBinding === null ? {} : { maxStorageBindingBytes: largestBinding };
  return await withOpenSession(definition, async ({ device, compiled, session }) => {
    session.upload({ input: normals(200, 1), target: Int32Array.of(0, 1, 2, 0) });
    const start = bitsOf(await session.state.read("parameters"));
    for (let i = 0; i < 3; i++) session.runOnce();
    const outcomes = await session.state.outcomes(0, 3);
    assert.ok(outcomes.every(({ skipped }) => !skipped));
    const parameters = bitsOf(await session.state.read("parameters"));
    device.check();
    for (const [name, values] of Object.entries(parameters)) {
      const same = values.filter((value, i) => value === start[name]![i]).length;
      // Weights of inputs that a ReLU keeps at 0 get no gradient
      assert.ok(same < values.length, `${name} was not updated`);
    }
    return { parameters, dispatches: compiled.plan.segments.at(-1)!.dispatches.length };
  }, { traits });
}

Deno.test("an update split into several dispatches gives the same result as one dispatch", async () => {
  const [whole, parts] = [await trained(null), await trained(65536)];
  assert.equal(whole.dispatches, 3);
  assert.equal(parts.dispatches, 1 + 2 * 2, "100 KiB of parameters in ranges of 64 KiB");
  assertSameBits(parts.parameters, whole.parameters, "in ranges");
});
