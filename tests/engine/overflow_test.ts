import assert from "node:assert/strict";
import { crossEntropy, linear, type ScenarioDefinition, sequential, sgd } from "../../mod.ts";
import { withOpenSession } from "../support/session.ts";
import { classified } from "../trainer/models.ts";

const definition: ScenarioDefinition<Record<never, never>> = {
  name: "overflow",
  model: sequential({ fc1: linear(7), fc2: linear(3) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: classified([5], 3),
  loader: { batchSize: 4 },
};

/** Runs one step on a gradient arena filled with NaNs, and returns whether it was skipped. */
async function stepOverJunk(amp: "O2" | "O3"): Promise<{ skipped: boolean; junk: number }> {
  const mixed: typeof definition = { ...definition, amp };
  return await withOpenSession(mixed, async ({ device, session }) => {
    session.upload({ input: new Float32Array(20).fill(0.5), target: Int32Array.of(0, 1, 2, 0) });
    const gradients = session.state.buffers.get("gradients")!;
    device.write(gradients, 0, new Uint32Array(gradients.size / 4).fill(0xffffffff));
    session.runOnce();
    const [{ skipped } = { skipped: true }] = await session.state.outcomes(0, 1);
    const [bytes] = await device.read([{ buffer: gradients, offset: 0, size: gradients.size }]);
    const junk = new Uint32Array(bytes!).filter((word) => word === 0xffffffff).length;
    device.check();
    return { skipped, junk };
  });
}

Deno.test("values between the tensors of an arena trigger no overflow", async () => {
  for (const amp of ["O2", "O3"] as const) {
    const { skipped, junk } = await stepOverJunk(amp);
    assert.ok(junk > 100, `${amp}: ${junk} words of junk between gradients`);
    assert.equal(skipped, false, amp);
  }
});
