import assert from "node:assert/strict";
import { batchNorm, conv2d, dropout, flatten, InputError, linear, relu, sequential } from "../../mod.ts";
import { convLayer, linearLayer, normLayer } from "../support/reference/layers.ts";
import { relu as referenceRelu } from "../support/reference/elementwise.ts";
import { flatten as toRows } from "../support/reference/elementwise.ts";
import { type Model, Network } from "../support/reference/network.ts";
import { labels, normals } from "../support/reference/random.ts";
import { bits, bitsOf, classified, small, trainerOf } from "./models.ts";

const model = sequential({
  conv: conv2d(5, { kernel: 3, padding: 1 }),
  bn: batchNorm(),
  relu: relu(),
  flatten: flatten(),
  drop: dropout(0.5),
  fc: linear(3),
});

/** Inference only, so dropout needs no draws. */
const reference: Model = (pass, x) => {
  const a = normLayer(pass, "bn", convLayer(pass, "conv", x, { padding: [1, 1] }));
  return linearLayer(pass, "fc", toRows(pass.tape, referenceRelu(pass.tape, a)));
};

const images = (settings = {}) => small({ model, data: classified([2, 5, 7], 3), ...settings });

function assertNear(got: Float32Array, wanted: Float64Array): void {
  assert.equal(got.length, wanted.length);
  got.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]!) <= 1e-5, `${i}: ${value}, expected ${wanted[i]}`));
}

Deno.test("inference accepts any number of samples and changes no state", async () => {
  await using trainer = await trainerOf(images());
  for (let i = 0; i < 3; i++) await trainer.step();
  const state = await trainer.runningState();
  assert.deepEqual([...state.keys()], ["bn.running_mean", "bn.running_var"]);
  const network = new Network(reference, await trainer.parameters(), state, 1);
  for (const samples of [1, 3, 4, 9]) {
    const input = normals(samples * 70, samples);
    const output = await trainer.forward({ shape: [samples, 2, 5, 7], data: input });
    assert.deepEqual(output.shape, [samples, 3]);
    assertNear(output, network.infer({ shape: [samples, 2, 5, 7], data: input }).data);
  }
  assert.deepEqual(bitsOf(await trainer.runningState()), bitsOf(state));
});

Deno.test("inference between steps changes no loss", async () => {
  const losses = async (between: boolean) => {
    await using trainer = await trainerOf(images());
    const values: number[] = [];
    for (let i = 0; i < 4; i++) {
      values.push((await trainer.step()).loss);
      if (between) await trainer.forward(normals(70 * 5, i));
    }
    return bits(values);
  };
  assert.deepEqual(await losses(true), await losses(false));
});

Deno.test("without an optimizer a step computes the training loss and changes no weight", async () => {
  await using trainer = await trainerOf(images({ optimizer: null }));
  const start = bitsOf(await trainer.parameters());
  const before = bitsOf(await trainer.runningState());
  const batch = { input: normals(280, 1), target: labels(4, 3, 1) };
  const { loss, skipped } = await trainer.step(batch);
  assert.ok(loss > 0.1 && loss < 10 && !skipped);
  assert.notEqual((await trainer.step(batch)).loss, loss, "other draws of dropout");
  assert.deepEqual(bitsOf(await trainer.parameters()), start);
  assert.notDeepEqual(bitsOf(await trainer.runningState()), before, "batch norm trains");
  await assert.rejects(trainer.gradients(), InputError);
});

for (const settings of [{ mode: "infer" }, { mode: "infer", loss: null }, { loss: null }] as const) {
  Deno.test(`a trainer that cannot train runs forward and rejects steps: ${JSON.stringify(settings)}`, async () => {
    await using trainer = await trainerOf(images({ optimizer: null, ...settings }));
    const state = await trainer.runningState();
    const network = new Network(reference, await trainer.parameters(), state, 1);
    const input = normals(70 * 6, 3);
    const output = await trainer.forward(input);
    assertNear(output, network.infer({ shape: [6, 2, 5, 7], data: input }).data);
    assert.deepEqual(bits(await trainer.forward(input)), bits(output), "the same again");
    assert.deepEqual(bitsOf(await trainer.runningState()), bitsOf(state));
    await assert.rejects(() => trainer.step(), (error) => error instanceof InputError && /no loss/.test(error.message));
    await assert.rejects(trainer.gradients(), InputError);
  });
}

Deno.test("evaluate computes loss and accuracy of the test split, including its short last batch", async () => {
  const test = { input: normals(70 * 10, 5), target: labels(10, 3, 6) };
  const data = {
    ...classified([2, 5, 7], 3),
    test: {
      input: { shape: [2, 5, 7], data: test.input },
      target: { shape: [], data: test.target },
    },
  };
  await using trainer = await trainerOf(images({ data }));
  for (let i = 0; i < 2; i++) await trainer.step();
  const outcome = await trainer.evaluate();
  const network = new Network(reference, await trainer.parameters(), await trainer.runningState(), 1);
  const logits = network.infer({ shape: [10, 2, 5, 7], data: test.input }).data;
  let [loss, right] = [0, 0];
  for (let row = 0; row < 10; row++) {
    const values = logits.subarray(row * 3, row * 3 + 3);
    loss += (Math.log(values.reduce((sum, x) => sum + Math.exp(x), 0)) - values[test.target[row]!]!) / 10;
    if (values[test.target[row]!] === Math.max(...values)) right++;
  }
  assert.equal(outcome.samples, 10);
  assert.equal(outcome.accuracy, right / 10);
  assert.ok(Math.abs(outcome.loss! - loss) < 1e-5, `${outcome.loss}, expected ${loss}`);
});
