import assert from "node:assert/strict";
import { createTrainer } from "../../../mod.ts";
import { full } from "../../support/full.ts";
import { type Definition, images, lossBits, runVariants } from "./experiments.ts";

const VARIANTS: NonNullable<Definition["variants"]> = {
  baseline: {},
  worker: { loader: { numWorkers: 1 } },
  "sink-workers": { sink: 4, loader: { numWorkers: 2 } },
  monitored: { monitor: "step" },
  ...full
    ? {
      again: {},
      workers: { loader: { numWorkers: 2, prefetch: 3 } },
      sink: { sink: 4 },
      sink2: { sink: 2 },
    }
    : {},
};

for (const amp of full ? ["O0", "O2"] as const : ["O2"] as const) {
  Deno.test(`losses are bit-identical with every feed (${amp})`, async () => {
    const results = await runVariants(images({ amp, variants: VARIANTS }));
    const wanted = lossBits(results.get("baseline")!);
    assert.equal(wanted.length, 20);
    assert.equal(new Set(wanted).size, 20, "every step has a different loss");
    for (const [name, result] of results) {
      assert.equal(result.error, null, name);
      // Variants with workers run more steps: the first of a block drain the queue and are not measured
      assert.deepEqual(lossBits(result).slice(0, wanted.length), wanted, name);
      assert.equal(result.planFingerprint, results.get("baseline")!.planFingerprint);
    }
    // A trainer stepped manually has the same losses, with and without kept gradients
    for (const keepGradients of [false, true]) {
      await using trainer = await createTrainer(images({ amp }), { keepGradients });
      const losses: number[] = [];
      for (let step = 0; step < wanted.length; step++) losses.push((await trainer.step()).loss);
      assert.deepEqual([...new Uint32Array(Float32Array.from(losses).buffer)], wanted, `kept: ${keepGradients}`);
    }
  });
}

Deno.test("a different seed gives different losses", async () => {
  const first = lossBits((await runVariants(images({ variants: { one: {} } }))).get("one")!);
  const second = lossBits((await runVariants(images({ seed: 2, variants: { one: {} } }))).get("one")!);
  first.forEach((loss, i) => assert.notEqual(loss, second[i]));
});

Deno.test("a first step that is undone, run to compile shaders, changes no loss", async () => {
  const scaler = { init: 2 ** 22, interval: 3 };
  const losses = async (skip: number) => {
    const definition = images({
      amp: { level: "O2", scaler },
      measure: { steps: 12 - skip, skip, maxSkip: skip, rounds: 1 },
      variants: { host: {}, sink: { sink: 4 } },
    });
    const results = await runVariants(definition);
    assert.ok(results.get("host")!.overflows! > 0, "some steps overflow");
    assert.equal(results.get("sink")!.overflows, results.get("host")!.overflows);
    return [lossBits(results.get("host")!), lossBits(results.get("sink")!)];
  };
  const [skipped, undone] = [await losses(4), await losses(0)];
  assert.deepEqual(skipped[0], undone[0]);
  assert.deepEqual(skipped[0], skipped[1]);
  assert.deepEqual(skipped[0], undone[1]);
});
