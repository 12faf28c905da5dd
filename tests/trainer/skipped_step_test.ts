import assert from "node:assert/strict";
import { adamW, schedules, sgd } from "../../mod.ts";
import { sampled } from "../support/full.ts";
import { labels, normals } from "../support/reference/random.ts";
import { assertSameBits, bitsOf, type Settings, small, trainerOf } from "./models.ts";

/** Steps before which a batch overflows. */
const OVERFLOWS = [0, 2, 5];

const batches = (samples: number) =>
  Array.from({ length: 7 }, (_, step) => ({
    input: Float32Array.from(normals(5 * samples, 10 + step)),
    target: labels(samples, 3, 50 + step),
  }));

/** Trains on all batches, with others that overflow between them or without. */
async function train(settings: Settings, overflows: readonly number[]) {
  await using trainer = await trainerOf(small(settings));
  const rates: number[] = [];
  for (const [step, { input, target }] of batches(4 * (settings.accumulate ?? 1)).entries()) {
    if (overflows.includes(step)) {
      const { loss, skipped, rateFactor } = await trainer.step({ input: input.map((value) => value * 1e6), target });
      assert.deepEqual([skipped, Number.isFinite(loss)], [true, false]);
      rates.push(rateFactor);
    }
    const { skipped, rateFactor } = await trainer.step({ input, target });
    assert.equal(skipped, false);
    if (overflows.includes(step)) assert.equal(rateFactor, rates.pop(), "a skipped step advances no schedule");
    rates.push(rateFactor);
  }
  return { rates, parameters: bitsOf(await trainer.parameters()), averages: bitsOf(await trainer.averages()) };
}

Deno.test("steps that overflow leave no bit behind in clipped, scheduled and averaged trainings", async () => {
  const optimizers = [adamW({ learningRate: 0.05 }), sgd({ learningRate: 0.1, momentum: 0.9 })];
  const cases = (["O1", "O2", "O3"] as const).flatMap((level) =>
    optimizers.flatMap((optimizer) => [1, 2].map((accumulate) => ({ level, optimizer, accumulate })))
  );
  for (const { level, optimizer, accumulate } of sampled(cases, 4)) {
    const settings: Settings = {
      optimizer,
      accumulate,
      amp: { level, scaler: { dynamic: false, init: 8 } },
      clipNorm: 0.3,
      schedule: schedules.oneCycle({ steps: 7 }),
      groups: [{ match: "vectors", weightDecay: 0 }],
      ema: { decay: 0.75 },
    };
    const where = `${level}, ${optimizer.kind}, ${accumulate} micro-batches`;
    const [got, wanted] = [await train(settings, OVERFLOWS), await train(settings, [])];
    assert.deepEqual(got.rates, wanted.rates, where);
    assertSameBits(got.parameters, wanted.parameters, `${where}: parameters`);
    assertSameBits(got.averages, wanted.averages, `${where}: averages`);
  }
});
