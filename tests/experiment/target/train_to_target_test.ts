import assert from "node:assert/strict";
import { createTrainer, resultSchema } from "../../../mod.ts";
import { runScenario, tiny } from "../running.ts";

const MEASURE = { steps: 2, skip: 2, maxSkip: 2, rounds: 1 };

Deno.test("each variant trains to the target loss with several seeds", async () => {
  const settings = tiny({ loader: { batchSize: 12 } });
  const losses: number[] = [];
  {
    await using trainer = await createTrainer(settings, { overrides: ["seed=5"] });
    while (losses.length < 60) losses.push((await trainer.step()).loss);
  }
  const mean = (step: number) => losses.slice(step - 9, step + 1).reduce((sum, loss) => sum + loss, 0) / 10;
  const loss = mean(45);
  const first = losses.findIndex((_, step) => step >= 9 && mean(step) <= loss);
  const { variants } = resultSchema.parse(
    await runScenario({
      ...settings,
      ...{ seed: 5, measure: MEASURE, target: { loss, maxSteps: 60 }, variants: { host: {}, sink: { sink: 3 } } },
    }),
  );
  for (const { name, target } of variants) {
    assert.deepEqual([target!.metric, target!.threshold], ["loss", loss], name);
    assert.deepEqual(target!.seeds.map(({ seed }) => seed), [5, 6, 7]);
    assert.equal(target!.seeds[0]!.steps, first + 1, `${name}: the first step at which the mean of ten is there`);
    assert.ok(target!.seeds[0]!.wall! > 0 && target!.time!.value > 0);
  }
  const [host, sink] = variants.map(({ target }) => target!.seeds.map(({ steps }) => steps));
  assert.deepEqual(host, sink, "the same training, fed in another way");
});

Deno.test("a training that misses the target has no time", async () => {
  const { variants } = await runScenario(tiny({
    measure: MEASURE,
    target: { loss: -1, maxSteps: 12, seeds: 2 },
    variants: { trained: {}, forward: { mode: "infer" } },
  }));
  const [trained, forward] = variants;
  assert.deepEqual(trained!.target!.seeds.map(({ steps, wall }) => [steps, wall]), [[null, null], [null, null]]);
  assert.equal(trained!.target!.time, null);
  assert.equal(forward!.target, null, "it is not trained");
  assert.equal(trained!.status, "ok");
});

Deno.test("accuracy is measured after every `every` steps, in whole sinks", async () => {
  const { variants } = await runScenario(tiny({
    measure: MEASURE,
    target: { accuracy: 1e-9, every: 7, seeds: 1 },
    variants: { host: {}, sink: { sink: 4 } },
  }));
  assert.deepEqual(variants.map(({ target }) => target!.seeds[0]!.steps), [7, 8], "whole sinks");
  assert.ok(variants.every(({ target }) => target!.metric === "accuracy"));
});

Deno.test("an interruption keeps the seeds that reached the target", async () => {
  const { variants, procedure } = await runScenario(
    tiny({ measure: MEASURE, target: { loss: 100, maxSteps: 40 }, variants: { a: {}, b: { sink: 2 } } }),
    { stops: ({ stage, message }) => stage === "target" && message === "seed 2/3" },
  );
  assert.deepEqual(variants.map(({ target }) => target!.seeds.map(({ steps }) => steps)), [[10], [10]]);
  assert.equal(procedure!.stoppedBy, "rounds", "the rounds were whole");
  assert.ok(variants.some(({ status }) => status === "interrupted"));
});
