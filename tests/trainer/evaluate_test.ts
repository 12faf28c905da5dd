import assert from "node:assert/strict";
import {
  binaryCrossEntropy,
  cifar10,
  createTrainer,
  crossEntropy,
  flatten,
  huber,
  linear,
  meanSquaredError,
  scenario,
  sequential,
  sgd,
} from "../../mod.ts";
import { lossOf } from "../../runtime/nn/losses.ts";
import { RECORD, recordFile, withFolder } from "../data/fixtures.ts";
import { labels, normals } from "../support/reference/random.ts";
import { classified, measured, regression, small, trainerOf } from "./models.ts";

const split = { input: normals(10 * 5, 5), target: normals(10 * 3, 6).map(Math.abs) };
const data = {
  ...measured(5, 3),
  test: { input: { shape: [5], data: split.input }, target: { shape: [3], data: split.target } },
};

/** Losses of one element by the definitions in PyTorch's documentation. */
const OF_ELEMENT = {
  meanSquaredError: (x: number, y: number) => (x - y) ** 2,
  huber: (x: number, y: number) => Math.abs(x - y) <= 1 ? (x - y) ** 2 / 2 : Math.abs(x - y) - 0.5,
  binaryCrossEntropy: (x: number, y: number) =>
    -y * Math.log(1 / (1 + Math.exp(-x))) - (1 - y) * Math.log(1 / (1 + Math.exp(x))),
};

for (const loss of [meanSquaredError(), huber(), binaryCrossEntropy()]) {
  Deno.test(`evaluation of ${loss.kind} is the mean of that loss over the test split, without accuracy`, async () => {
    await using trainer = await trainerOf(regression({ loss, data }));
    let wanted = 0;
    for (let first = 0; first < 10; first += 2) {
      // The trainer's batches have 4 samples
      const input = new Float32Array(20);
      input.set(split.input.subarray(first * 5, (first + 2) * 5));
      const output = (await trainer.forward(input)).subarray(0, 6);
      output.forEach((x, i) => wanted += OF_ELEMENT[loss.kind](x, split.target[first * 3 + i]!) / 30);
    }
    const outcome = await trainer.evaluate();
    assert.equal(outcome.accuracy, null);
    assert.ok(Math.abs(outcome.loss! - wanted) < 1e-6 * wanted, `${outcome.loss}, expected ${wanted}`);
  });
}

Deno.test("evaluation reports no loss if the loss does not accept the data's targets", async () => {
  const labels = classified([5], 3);
  const evaluation = async (settings: Parameters<typeof small>[0]) => {
    await using trainer = await trainerOf(small({ ...settings, optimizer: null, mode: "infer" }));
    const { loss, accuracy } = await trainer.evaluate();
    return { loss, accuracy: accuracy !== null };
  };
  assert.deepEqual(await evaluation({ loss: crossEntropy(), data }), { loss: null, accuracy: false });
  assert.deepEqual(
    await evaluation({ loss: huber(), data: { ...labels, test: labels.train } }),
    { loss: null, accuracy: true },
  );
});

for (const amp of ["O0", "O2", "O3"] as const) {
  Deno.test(`the device's scores match the host's in f64, including the short last batch: ${amp}`, async () => {
    const train = classified([5], 3);
    const test = { input: normals(10 * 5, 7), target: labels(10, 3, 8) };
    const data = {
      ...train,
      test: { input: { shape: [5], data: test.input }, target: { shape: [], data: test.target } },
    };
    const loss = crossEntropy({ labelSmoothing: 0.1 });
    await using trainer = await trainerOf(small({ amp, data, loss }));
    await trainer.step();
    const logits = await trainer.forward(test.input);
    let [sum, right] = [0, 0];
    for (let row = 0; row < 10; row++) {
      const values = logits.subarray(row * 3, row * 3 + 3);
      sum += lossOf(loss).ofSample!(loss, values, [test.target[row]!]).loss;
      if (values.indexOf(Math.max(...values)) === test.target[row]) right++;
    }
    const outcome = await trainer.evaluate();
    assert.deepEqual([outcome.samples, outcome.accuracy], [10, right / 10]);
    assert.ok(Math.abs(outcome.loss! / (sum / 10) - 1) < 1e-6, `${outcome.loss}, expected ${sum / 10}`);
    assert.deepEqual(await trainer.evaluate(), outcome, "the same again");
  });
}

Deno.test("evaluation replaces samples that cannot be loaded, and counts them", async () => {
  const test = recordFile(9, 20);
  for (const record of [4, 11]) test[record * RECORD] = 77;
  await withFolder({ "data_batch_1.bin": recordFile(1, 10), "test_batch.bin": test }, async (dir) => {
    const outcomes = [0, 2].map(async (numWorkers) => {
      const own = scenario({
        name: "damaged",
        model: sequential({ flat: flatten(), fc: linear(10) }),
        loss: crossEntropy(),
        optimizer: sgd({ learningRate: 0.01 }),
        data: cifar10({ dir }),
        loader: { batchSize: 10, numWorkers, onError: "skip" },
      });
      await using trainer = await createTrainer(own);
      return await trainer.evaluate();
    });
    const [direct, byWorker] = await Promise.all(outcomes);
    assert.ok(direct!.skipped >= 2 && direct!.skipped < 8, `${direct!.skipped}`);
    assert.equal(direct!.samples, 20);
    assert.deepEqual(byWorker, direct);
  });
});
