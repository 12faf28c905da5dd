import assert from "node:assert/strict";
import { adamW, dropout, InputError, linear, measure, sequential, sgd } from "../../mod.ts";
import { planCounts } from "../../runtime/compile/plan_counts.ts";
import { partsOf } from "../../runtime/trainer/trainer.ts";
import { normals } from "../support/reference/random.ts";
import { assertSameBits, bitsOf, regression, type Settings, small, trainerOf } from "./models.ts";

const LARGE = {
  input: Float32Array.from(normals(8 * 5, 7)),
  target: Int32Array.of(0, 1, 2, 0, 1, 1, 2, 0),
};

const withBatch = (batchSize: number, settings: Settings = {}) =>
  small({ optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }), loader: { batchSize }, ...settings });

Deno.test("micro-batches train as one large batch does, but for rounding", async () => {
  for (const [amp, tolerance] of [["O0", 1e-6], ["O2", 5e-3], ["O3", 5e-3]] as const) {
    await using large = await trainerOf(withBatch(8, { amp }));
    await using parts = await trainerOf(withBatch(2, { amp, accumulate: 4 }));
    for (let step = 0; step < 5; step++) {
      const [wanted, got] = [await large.step(LARGE), await parts.step(LARGE)];
      assert.equal(got.step, step);
      assert.ok(Math.abs(got.loss - wanted.loss) <= tolerance * wanted.loss, `${amp}: ${got.loss}, ${wanted.loss}`);
    }
    const wanted = await large.gradients();
    for (const [name, { data }] of await parts.gradients()) {
      data.forEach((value, i) => {
        const reference = wanted.get(name)!.data[i]!;
        assert.ok(Math.abs(value - reference) <= tolerance * 4, `${amp}: ${name}[${i}] ${value}, ${reference}`);
      });
    }
  }
});

Deno.test("a step takes whole micro-batches of samples", async () => {
  await using trainer = await trainerOf(withBatch(2, { accumulate: 3 }));
  await assert.rejects(
    trainer.step(LARGE),
    (error) =>
      error instanceof InputError &&
      /^step: input is a Float32Array of 40 values, .* 30 for \[6, 5\]/.test(error.message),
  );
});

Deno.test("each micro-batch draws other random numbers, in every repeat the same ones", async () => {
  const model = sequential({ drop: dropout(0.5), fc: linear(3) });
  const losses = async (accumulate: number) => {
    await using trainer = await trainerOf(
      regression({ model, optimizer: sgd({ learningRate: 0 }), loader: { batchSize: 2 }, accumulate }),
    );
    const input = new Float32Array(10).fill(1);
    const target = new Float32Array(6);
    const copies = (data: Float32Array) => new Float32Array(Array(accumulate).fill([...data]).flat());
    const result: number[] = [];
    for (let i = 0; i < 2; i++) {
      result.push((await trainer.step({ input: copies(input), target: copies(target) })).loss);
    }
    return result;
  };
  const single = await losses(1);
  const pair = await losses(2);
  assert.notEqual(single[0], single[1]);
  assert.ok(Math.abs(pair[0]! - (single[0]! + single[1]!) / 2) < 1e-6, "a step's two draws are those of two steps");
  assert.deepEqual(await losses(2), pair);
});

Deno.test("an overflow in one micro-batch skips the update of the step", async () => {
  await using trainer = await trainerOf(withBatch(2, { amp: "O2", accumulate: 4 }));
  const before = bitsOf(await trainer.parameters());
  const input = LARGE.input.slice();
  input[11] = Infinity; // in the second of four
  const { skipped } = await trainer.step({ ...LARGE, input });
  assert.equal(skipped, true);
  assertSameBits(bitsOf(await trainer.parameters()), before, "parameters");
  assert.equal((await trainer.step(LARGE)).skipped, false);
});

Deno.test("both feeds and workers run the same steps; a step's samples are those of its micro-batches", async () => {
  const result = await measure({
    ...small({ optimizer: adamW({ learningRate: 0.01 }), loader: { batchSize: 2 }, accumulate: 3 }),
    measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, aa: false },
    variants: {
      baseline: {},
      sink: { sink: 2 },
      workers: { loader: { numWorkers: 1 } },
      large: { loader: { batchSize: 6 }, accumulate: 1 },
    },
  });
  const [baseline, sink, workers, large] = result.variants as [
    typeof result.variants[0] & object,
    ...(typeof result.variants[0] & object)[],
  ];
  assert.equal(baseline.blocks[0]!.samples, 12);
  for (const { name, losses } of [sink!, workers!]) {
    assert.deepEqual(losses.slice(0, baseline.losses.length), baseline.losses, name); // whole sinks may train longer
  }
  assert.equal(large!.blocks[0]!.samples, 12);
  assert.equal(baseline.memory!.gradients, 2 * large!.memory!.gradients);
});

Deno.test("counts of a step cover its micro-batches, and the update once", async () => {
  const countsOf = async (accumulate: number) => {
    await using trainer = await trainerOf(withBatch(2, { accumulate }));
    const { plan } = partsOf(trainer).session.compiled;
    return { ...planCounts(plan), plan };
  };
  const [two, three] = [await countsOf(2), await countsOf(3)];
  const count = (counts: typeof two, name: RegExp) =>
    counts.kernels.filter((kernel) => name.test(kernel.name)).reduce((sum, { dispatches }) => sum + dispatches, 0);
  assert.deepEqual([count(two, /^accumulate.loss/), count(three, /^accumulate.loss/)], [2, 3]);
  assert.deepEqual([count(two, /^update.sgd/), count(three, /^update.sgd/)], [1, 1]);
  const added = two.plan.nodes.filter(({ type }) => type === "accumulate_gradients");
  assert.deepEqual(added.map(({ phase }) => phase), ["backward"]);
  const updates = count(two, /^update/);
  assert.equal((three.dispatches - updates) / 3, (two.dispatches - updates) / 2);
});
