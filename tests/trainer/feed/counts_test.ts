import assert from "node:assert/strict";
import { crossEntropy, mlp, sgd, syntheticImages, type VariantDefinition } from "../../../mod.ts";
import { type Definition, images, lossBits, runVariants } from "./experiments.ts";
import { fullTest, sampled } from "../../support/full.ts";

/** A step takes well under a millisecond. */
function tiny(settings: Partial<Definition>): Definition {
  return {
    name: "tiny",
    model: mlp({ hidden: [8], classes: 3 }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 3, length: 40 }),
    loader: { batchSize: 4 },
    ...settings,
  };
}

Deno.test("a sink of 10 steps takes one submit, one wait and one readback", async () => {
  // Steps are so short that no machine splits a sink
  const results = await runVariants(tiny({
    measure: { steps: 20, skip: 10, maxSkip: 10, rounds: 2 },
    variants: { host: {}, sink: { sink: 10 }, monitored: { monitor: "step" } },
  }));
  const counts = (name: string) => results.get(name)!.counts;
  assert.deepEqual(counts("sink"), { submits: 4, waits: 4, readbacks: 4 });
  // Each block ends with one more submit, which copies its losses
  assert.deepEqual(counts("host"), { submits: 2 * 21, waits: 40, readbacks: 2 });
  assert.deepEqual(counts("monitored"), { submits: 2 * 40, waits: 40, readbacks: 40 });
});

fullTest("a long sink is split when a submit's queries are used up, and the loss ring wraps around", async () => {
  const run = async (sink: number, rounds: number) =>
    (await runVariants(tiny({ measure: { steps: sink, skip: 0, rounds }, variants: { tested: { sink } } })))
      .get("tested")!;
  const result = await run(1400, 3);
  const losses = lossBits(result);
  assert.equal(losses.length, 4200, "more than the 4096 that the device keeps");
  const first = losses.slice(0, 104);
  const again = losses.slice(4096);
  assert.equal(again.filter((loss, i) => loss === first[i]).length, 0, "stale entries of the ring");
  assert.deepEqual(losses.slice(0, 300), lossBits(await run(150, 2)));
  // 2048 passes per submit are 682 steps of three phases, and the first step has a separate submit. Slow machines need more
  assert.ok(result.counts!.submits >= 3 * 3 && result.counts!.waits === result.counts!.submits);
  assert.equal(result.counts!.readbacks, 3);
});

Deno.test("an interrupted run keeps the losses of the steps that ran", async () => {
  const whole = lossBits((await runVariants(images({ variants: { host: {} } }))).get("host")!);
  const cases: [string, VariantDefinition<Record<never, never>>][] = [
    ["host", {}],
    ["monitored", { monitor: "step" }],
    ["worker", { loader: { numWorkers: 1 } }],
    ["sink", { sink: 4 }],
  ];
  for (const [name, settings] of sampled(cases, 2)) {
    const definition = images({ variants: { [name]: settings } });
    const result = (await runVariants(definition, ({ stage, step }) => stage === "measure" && step >= 2)).get(name)!;
    assert.equal(result.status, "interrupted", name);
    const steps = result.blocks.map(({ steps }) => steps.length);
    // A sink is submitted as a whole, unless the machine is so slow that it is split
    if (name === "sink") assert.ok([2, 3, 4].includes(steps[0]!), `${steps}`);
    else assert.deepEqual(steps, [2], name);
    // Steps that drain a queue filled while the variant was paused run without being measured
    const done = 4 + steps[0]!;
    const bits = lossBits(result);
    assert.ok(name === "worker" ? bits.length >= done : bits.length === done, `${name}: ${bits.length}`);
    assert.deepEqual(bits, whole.slice(0, bits.length), name);
  }
});

Deno.test("step times add up to the block's wall time, and data loading is measured separately", async () => {
  const results = await runVariants(images({ variants: { host: {}, sink: { sink: 4 } } }));
  for (const [name, { blocks, metrics }] of results) {
    assert.equal(blocks.length, 2);
    for (const { steps, wall, samples } of blocks) {
      assert.deepEqual([steps.length, samples], [8, 32]);
      const sum = steps.reduce((total, step) => total + step.batchCost!, 0);
      assert.ok(Math.abs(sum - wall) <= 1e-6 * wall, `${name}: ${sum} and ${wall}`);
      for (const step of steps) assert.ok(step.readerCost! >= 0 && step.forward! > 0 && step.backward! > 0);
    }
    assert.equal(metrics.batchCost!.amortised ?? false, name === "sink");
  }
  const indices = results.get("sink")!.blocks.flatMap(({ steps }) => steps.map(({ index }) => index));
  assert.deepEqual(indices, Array.from({ length: 16 }, (_, i) => i + 4));
});

Deno.test("without a loss, forward is timed and nothing is read back", async () => {
  const definition = images({
    loss: null,
    optimizer: null,
    variants: { host: {}, sink: { sink: 4 }, infer: { mode: "infer" } },
  });
  for (const [name, result] of await runVariants(definition)) {
    assert.deepEqual([result.status, result.error], ["ok", null], name);
    assert.ok(result.losses.every((loss) => loss === null));
    assert.equal(result.counts!.readbacks, 0, name);
    assert.equal(result.metrics.backward, null, name);
    assert.ok(result.metrics.forward!.value > 0, name);
  }
});
