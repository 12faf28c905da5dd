/** Models of several inputs, losses in code and targets for each token, from the data to the loss. */
import assert from "node:assert/strict";
import {
  add,
  applyLoss,
  createTrainer,
  crossEntropy,
  embedding,
  linear,
  mean,
  mul,
  multiInput,
  scenario,
  sequential,
  sgd,
  source,
  type SourceOptions,
  sub,
  sum,
  type Tensor,
  tensors,
} from "../../mod.ts";
import type { HostTensor } from "../../runtime/engine/model_state.ts";
import { refuses, rejects } from "../support/refuses.ts";
import { labels, normals } from "../support/reference/random.ts";
import { regression, type Settings, trainerOf } from "./models.ts";

const [samples, length, vocabulary, classes] = [12, 3, 5, 4];

/** Two inputs, and a class for each token; every third is ignored. */
function pairs() {
  const target = labels(samples * length, classes, 3);
  for (let i = 0; i < target.length; i += 3) target[i] = -100;
  return {
    tokens: labels(samples * length, vocabulary, 1),
    scales: normals(samples * 2, 2),
    target,
  };
}

/** Logits `[n, 3, 4]` of the tokens, shifted by a linear map of the scales. */
const tagger = () => {
  const [words, shift] = [embedding(vocabulary, classes), linear(classes)];
  return multiInput(({ tokens, scales }: { tokens: Tensor; scales: Tensor }) =>
    add(words(tokens), sum(shift(scales), { axes: 0, keepDims: true }))
  );
};

function tagging(settings: Settings = {}) {
  const { tokens, scales, target } = pairs();
  const split = {
    inputs: { tokens: { shape: [length], data: tokens }, scales: { shape: [2], data: scales } },
    target: { shape: [length], data: target },
  };
  return scenario({
    name: "tagging",
    model: tagger(),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tensors({ ...split, test: split, classes }),
    loader: { batchSize: 4, shuffle: false },
    ...settings,
  });
}

/** Logits of a batch in f64, from the trained parameters. */
function logitsOf(parameters: ReadonlyMap<string, HostTensor>, tokens: Int32Array, scales: Float32Array): number[] {
  const [words, weight, bias] = ["embedding.weight", "linear.weight", "linear.bias"]
    .map((name) => parameters.get(name)!.data);
  const shift = Array.from({ length: classes }, (_, k) => {
    let total = 0;
    for (let n = 0; n < scales.length / 2; n++) {
      total += bias![k]! + weight![2 * k]! * scales[2 * n]! + weight![2 * k + 1]! * scales[2 * n + 1]!;
    }
    return total;
  });
  return [...tokens].flatMap((token) => shift.map((by, k) => words![token * classes + k]! + by));
}

/** Mean loss and accuracy over the targets that count. */
function scoresOf(logits: readonly number[], target: Int32Array): { loss: number; accuracy: number; counted: number } {
  let [loss, right, counted] = [0, 0, 0];
  target.forEach((y, row) => {
    if (y === -100) return;
    const x = logits.slice(row * classes, (row + 1) * classes);
    loss += Math.log(x.reduce((total, v) => total + Math.exp(v), 0)) - x[y]!;
    if (x.indexOf(Math.max(...x)) === y) right++;
    counted++;
  });
  return { loss: loss / counted, accuracy: right / counted, counted };
}

const close = (got: number, want: number) => assert.ok(Math.abs(got - want) < 2e-6 * Math.abs(want), `${got}, ${want}`);

Deno.test("a model takes a record of inputs, i32 and f32, with a target for each token", async () => {
  const { tokens, scales, target } = pairs();
  await using trainer = await trainerOf(tagging());
  const before = await trainer.parameters();
  const batch = { tokens: tokens.slice(0, 12), scales: scales.slice(0, 8), target: target.slice(0, 12) };
  const wanted = scoresOf(logitsOf(before, batch.tokens, batch.scales), batch.target);
  close((await trainer.step(batch)).loss, wanted.loss);
  await trainer.loadParameters(before);
  close((await trainer.step()).loss, wanted.loss);
  await trainer.loadParameters(before);
  const output = await trainer.forward({ tokens: batch.tokens, scales: batch.scales });
  assert.deepEqual(output.shape, [4, 3, 4]);
  output.forEach((value, i) => close(value, logitsOf(before, batch.tokens, batch.scales)[i]!));
  await rejects(
    trainer.step({ ...batch, tokens: scales.slice(0, 12) }),
    /tokens is a Float32Array of 12 values, expected an Int32Array of 12/,
  );
  await rejects(
    trainer.step({ ...batch, target: Int32Array.from(batch.target, (y) => y === -100 ? -1 : y) }),
    /target\[0\] is -1, expected a class from 0 to 3/,
  );
});

Deno.test("evaluation means over the targets that count, not over samples", async () => {
  const { tokens, scales, target } = pairs();
  target.fill(-100, 0, 9);
  const all = {
    inputs: { tokens: { shape: [length], data: tokens }, scales: { shape: [2], data: scales } },
    target: { shape: [length], data: target },
  };
  await using trainer = await trainerOf(tagging({ data: tensors({ ...all, test: all, classes }) }));
  const parameters = await trainer.parameters();
  let [loss, right, counted] = [0, 0, 0];
  for (let first = 0; first < samples; first += 4) {
    const own = target.slice(first * length, (first + 4) * length);
    const logits = logitsOf(
      parameters,
      tokens.slice(first * length, (first + 4) * length),
      scales.slice(first * 2, (first + 4) * 2),
    );
    const scores = scoresOf(logits, own);
    if (scores.counted === 0) continue;
    loss += scores.loss * scores.counted;
    right += scores.accuracy * scores.counted;
    counted += scores.counted;
  }
  const outcome = await trainer.evaluate();
  close(outcome.loss!, loss / counted);
  close(outcome.accuracy!, right / counted);
});

Deno.test("source() yields several inputs and fields that a loss in code reads, the same with workers", async () => {
  const options: SourceOptions = {
    module: import.meta.resolve("../data/modules/pairs.ts"),
    inputs: { tokens: { shape: [3], dtype: "i32" }, scales: { shape: [2] } },
    target: { shape: [3] },
    fields: { weight: { dtype: "f32" } },
    classes,
  };
  const losses = await Promise.all([0, 2].map(async (numWorkers) => {
    await using trainer = await trainerOf(tagging({
      data: source(options),
      loss: (output, target, { weight }) => add(applyLoss(crossEntropy(), output, target), mul(0.5, mean(weight!))),
      loader: { batchSize: 4, shuffle: false, numWorkers },
    }));
    const before = await trainer.parameters();
    const found = [(await trainer.step()).loss];
    const tokens = Int32Array.from({ length: 12 }, (_, i) => (Math.floor(i / 3) + i % 3) % 5);
    const scales = Float32Array.from([0, 1, 0.25, 1, 0.5, 1, 0.75, 1]);
    const target = Int32Array.from([0, -100, 1, 1, -100, 2, 2, -100, 3, 3, -100, 0]);
    close(found[0]!, scoresOf(logitsOf(before, tokens, scales), target).loss + 0.5 * 1.5);
    for (let i = 0; i < 6; i++) found.push((await trainer.step()).loss);
    return found;
  }));
  assert.deepEqual(losses[1], losses[0]);
});

Deno.test("a loss is any function to a scalar: its gradient and evaluation are those of the built-in equivalent", async () => {
  const squared = (output: Tensor, target: Tensor) => {
    const d = sub(output, target);
    return mean(mul(d, d));
  };
  const gradients = await Promise.all([{}, { loss: squared }].map(async (settings) => {
    await using trainer = await createTrainer(regression(settings), { keepGradients: true });
    const { loss } = await trainer.step();
    return { loss, gradients: await trainer.gradients() };
  }));
  const [builtIn, own] = gradients as [typeof gradients[0], typeof gradients[0]];
  close(own.loss, builtIn.loss);
  for (const [name, { data }] of builtIn.gradients) {
    own.gradients.get(name)!.data.forEach((value, i) => assert.ok(Math.abs(value - data[i]!) < 1e-6, name));
  }
});

Deno.test("a loss that returns no scalar, and inputs that do not fit, are refused with the fix", async () => {
  const refusedBy = async (settings: Settings, message: RegExp) =>
    await rejects(createTrainer(tagging(settings)), message);
  await refusedBy(
    { loss: (output) => output },
    /loss: the function returned f32\[4, 3, 4\]; expected one f32 or f16 number: take the mean/,
  );
  await refusedBy({ loss: () => 3 as unknown as Tensor }, /loss: the function returned a number; expected a tensor/);
  await refusedBy(
    { loss: (_output, _target, { mask }) => mean(mask!) },
    /loss: reads the field "mask", which the data does not have/,
  );
  await refusedBy(
    { model: sequential({ fc: linear(4) }) },
    /takes one tensor, but the data has the inputs tokens, scales; write model: multiInput\(\(\{ tokens, scales \}\) => /,
  );
  await refusedBy(
    { model: multiInput(({ token }: { token: Tensor }) => token) },
    /model: reads the input "token", which the data does not have; did you mean "tokens"\?/,
  );
  await refusedBy({ loss: crossEntropy({ weight: [1, 2, 3] }) }, /a weight for each of the 4 classes/);
  const input = { shape: [2], data: new Float32Array(4) };
  const target = { data: new Int32Array(2) };
  refuses(() => tensors({ input, inputs: { a: input }, target }), /expected either input: \{ shape, data \} or inputs/);
  refuses(
    () => tensors({ inputs: { target: input }, target }),
    /names of letters and digits other than input and target/,
  );
  refuses(
    () => tensors({ inputs: { a: input, b: { shape: [3], data: new Float32Array(9) } }, target }),
    /a has 2 samples but b has 3/,
  );
});

Deno.test("an index of the data beyond an embedding is refused", async () => {
  const split = {
    input: { shape: [length], data: new Int32Array(samples * length).fill(vocabulary) },
    target: { shape: [length], data: new Int32Array(samples * length) },
  };
  await using trainer = await createTrainer(scenario({
    name: "beyond",
    model: sequential({ words: embedding(vocabulary, classes) }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tensors({ ...split, classes }),
    loader: { batchSize: 4 },
  }));
  await assert.rejects(
    () => trainer.step(),
    /^InputError: model: layer "words": the embedding has 5 rows, but "input" of the batch has 5 at element 0; expected 0 to 4/,
  );
});
