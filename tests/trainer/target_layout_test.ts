import assert from "node:assert/strict";
import { conv2d, linear, meanSquaredError, sequential, tanh, tensors } from "../../mod.ts";
import { normals } from "../support/reference/random.ts";
import { count } from "../support/reference/value.ts";
import { small, trainerOf } from "./models.ts";

/** A scenario that reproduces its input. */
function autoencoder(model: ReturnType<typeof sequential>, shape: number[]) {
  const data = normals(64 * count(shape), 1);
  return small({ model, loss: meanSquaredError(), data: tensors({ input: { shape, data }, target: { shape, data } }) });
}

const cases = [
  [
    "images",
    [3, 5, 7],
    sequential({ a: conv2d(8, { kernel: 3, padding: 1 }), t: tanh(), b: conv2d(3, { kernel: 1 }) }),
  ],
  ["one channel", [1, 5, 7], sequential({ a: conv2d(1, { kernel: 3, padding: 1 }) })],
  ["sequences", [6, 5], sequential({ a: linear(7), t: tanh(), b: linear(5) })],
] as const;

Deno.test("class indices are rejected as targets of a mean squared error", async () => {
  const scenario = small({ loss: meanSquaredError() });
  await assert.rejects(
    trainerOf(scenario),
    /^InputError: model: layer "loss": .* got class indices; use crossEntropy\(\)/,
  );
});

for (const [name, shape, model] of cases) {
  Deno.test(`targets are row-major regardless of the memory layout: ${name}`, async () => {
    for (const amp of ["O0", "O2", "O3"] as const) {
      await using trainer = await trainerOf({ ...autoencoder(model, [...shape]), amp });
      const input = normals(4 * count([...shape]), 3);
      const target = normals(4 * count([...shape]), 4);
      const output = await trainer.forward(input);
      const mean = output.reduce((sum, y, i) => sum + (y - target[i]!) ** 2, 0) / target.length;
      const { loss } = await trainer.step({ input, target });
      assert.ok(Math.abs(loss / mean - 1) < (amp === "O0" ? 1e-5 : 2e-3), `${amp}: ${loss}, expected ${mean}`);
      assert.ok(Number.isFinite((await trainer.step()).loss));
    }
  });
}
