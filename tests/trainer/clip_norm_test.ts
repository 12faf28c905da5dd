import assert from "node:assert/strict";
import { linear, sequential, sgd } from "../../mod.ts";
import { sampled } from "../support/full.ts";
import { normals } from "../support/reference/random.ts";
import { assertSameBits, bitsOf, measured, regression, type Settings, trainerOf } from "./models.ts";

const RATE = 0.5;
/** Largest norm far below, about and above that of the gradients. */
const LIMITS = [0.01, 1, 1e6];

/** A model with more than 64 blocks of gradients, and with parameters that fill no block. */
const wide = (settings: Settings = {}) =>
  regression({
    model: sequential({ wide: linear(333), narrow: linear(3) }),
    data: measured(50, 3),
    optimizer: sgd({ learningRate: RATE }),
    ...settings,
  });

Deno.test("gradients are clipped by their common norm, as by PyTorch's clip_grad_norm_", async () => {
  const cases = LIMITS.flatMap((clipNorm) =>
    [{}, { accumulate: 2 }, { amp: "O2" as const }].map((settings) => ({ clipNorm, settings }))
  );
  for (const { clipNorm, settings } of sampled(cases, 5)) {
    await using trainer = await trainerOf(wide({ ...settings, clipNorm }));
    const before = await trainer.parameters();
    await trainer.step();
    const [after, gradients] = [await trainer.parameters(), await trainer.gradients()];
    const squares = [...gradients.values()].flatMap(({ data }) => [...data]).reduce((sum, g) => sum + g * g, 0);
    const factor = Math.min(1, clipNorm / (Math.sqrt(squares) + 1e-6));
    assert.equal(factor < 1, clipNorm < 1e6, `the norm is ${Math.sqrt(squares)}`);
    for (const [name, { data }] of after) {
      data.forEach((value, i) => {
        const step = RATE * factor * gradients.get(name)!.data[i]!;
        const [from, wanted] = [before.get(name)!.data[i]!, before.get(name)!.data[i]! - step];
        const rounding = 2 ** -23 * Math.abs(from) + 1e-5 * Math.abs(step);
        assert.ok(Math.abs(value - wanted) <= rounding, `${clipNorm}: ${name}[${i}] is ${value}, expected ${wanted}`);
      });
    }
  }
});

Deno.test("a limit above the norm changes no bit, and clipped trainings repeat", async () => {
  const train = async (clipNorm: number | null) => {
    await using trainer = await trainerOf(wide({ clipNorm }));
    for (let i = 0; i < 3; i++) await trainer.step();
    return bitsOf(await trainer.parameters());
  };
  assertSameBits(await train(1e9), await train(null), "above the norm");
  const clipped = await train(0.1);
  assertSameBits(await train(0.1), clipped, "repeated");
});

Deno.test("an overflow skips the update with clipping, too", async () => {
  await using trainer = await trainerOf(regression({ amp: "O2", clipNorm: 1 }));
  const before = bitsOf(await trainer.parameters());
  const input = Float32Array.from(normals(20, 3));
  input[7] = Infinity;
  assert.equal((await trainer.step({ input, target: new Float32Array(12) })).skipped, true);
  assertSameBits(bitsOf(await trainer.parameters()), before, "parameters");
});
