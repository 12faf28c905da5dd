/**
 * Under AdamW, whose first steps divide small gradients by themselves, rounding grows from step to step. Losses may be no
 * farther from those in double precision than twice what f32 in TensorFlow.js is.
 */
import assert from "node:assert/strict";
import { adamW } from "../../mod.ts";
import { Network } from "../support/reference/network.ts";
import { adam } from "../support/reference/optimizers.ts";
import type { ModelCase } from "./case.ts";
import { gpt } from "./gpt.ts";
import { llama } from "./llama.ts";
import { lstm } from "./lstm.ts";
import { tfGpt, tfLlama, tfLstm, type TfModel } from "./tfjs/language_models.ts";
import { trainTf } from "./tfjs/training.ts";
import { batchOf, SEED, trainerOf } from "./training.ts";

/** Number of steps, over which rounding grows. */
const STEPS = 10;

const SETTINGS = { learningRate: 3e-3, weightDecay: 0.1 } as const;

/** Half a unit in the last place of an f32 loss between 2 and 4. */
const ROUNDING = 2 ** -23;

const MODELS: readonly (readonly [ModelCase, TfModel])[] = [
  [gpt, tfGpt(2, 3)],
  [llama, tfLlama({ layers: 2, heads: 6, keyHeads: 2, base: 500, epsilon: 1e-5 })],
  [lstm, tfLstm(2)],
];

for (const [test, tfModel] of MODELS) {
  Deno.test(`${test.name}: ten steps of AdamW are as close to the reference as f32 in TensorFlow.js`, async () => {
    const { batchSize, input, loss } = test;
    const batches = Array.from({ length: STEPS }, (_, step) => batchOf(test, step));
    await using trainer = await trainerOf({ ...test, optimizer: { ...test.optimizer, spec: adamW(SETTINGS) } });
    const start = await trainer.parameters();
    const network = new Network(test.reference, start, new Map(), SEED);
    const optimizer = adam({ ...SETTINGS, decoupled: true });
    const exact = batches.map(({ input: data, target }) =>
      network.train({ shape: [batchSize, ...input], data }, target, loss.reference, optimizer)
    );
    const own: number[] = [];
    for (const batch of batches) own.push((await trainer.step(batch)).loss);
    const sequences = batches.map(({ input, target }) => ({
      tokens: input as Int32Array,
      target: target as Int32Array,
    }));
    const others = await trainTf(tfModel, start, sequences, batchSize, SETTINGS);
    const farthest = (losses: readonly number[]) => Math.max(...losses.map((value, i) => Math.abs(value - exact[i]!)));
    const [error, allowed] = [farthest(own), 2 * Math.max(farthest(others), ROUNDING)];
    assert.ok(farthest(others) < 1e-4, `TensorFlow.js differs by ${farthest(others)}`);
    assert.ok(error <= allowed, `${error} from the reference, TensorFlow.js ${farthest(others)}`);
  });
}
