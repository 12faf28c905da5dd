import assert from "node:assert/strict";
import { adam, crossEntropy, flatten, linear, lstm, multiHeadAttention, reshape, sequential, sgd } from "../../mod.ts";
import { full } from "../support/full.ts";
import { classified, trainerOf } from "../trainer/models.ts";
import { CASES } from "./cases.ts";
import { lenet } from "./lenet.ts";
import { classifier } from "./perceptron.ts";
import { resnet20 } from "./resnet20.ts";
import { gradientsOf, lossesOf } from "./training.ts";

const SCALER = { dynamic: false, init: 1024 } as const;

const LEVELS = ["O1", "O2", "O3"] as const;

for (const [i, test] of (full ? CASES : CASES.filter((test) => test !== resnet20).slice(0, LEVELS.length)).entries()) {
  Deno.test(`${test.name}: mixed precision at a fixed loss scale stays within 2 % of f32`, async () => {
    const f32 = await lossesOf(test, {});
    for (const level of full ? LEVELS : [LEVELS[i % LEVELS.length]!]) {
      const losses = await lossesOf(test, { amp: { level, scaler: SCALER } });
      const errors = losses.map((loss, i) => Math.abs(loss - f32[i]!) / Math.abs(f32[i]!));
      assert.ok(Math.max(...errors) <= 0.02, `${level}: ${losses}, in f32 ${f32}`);
      // ... and differs from f32
      assert.ok(Math.max(...errors) >= 1e-6, `${level}: ${losses}, in f32 ${f32}`);
    }
  });
}

Deno.test("Adam's moments are f32 at every level, since squares of small gradients are zero in f16", async () => {
  const optimizer = adam({ learningRate: 1e-3 });
  const f32 = await lossesOf(lenet, { optimizer });
  for (const level of full ? ["O2", "O3"] as const : ["O3"] as const) {
    const losses = await lossesOf(lenet, { optimizer, amp: { level, scaler: SCALER } });
    losses.forEach((loss, i) => {
      assert.ok(Math.abs(loss - f32[i]!) <= 0.05 * f32[i]!, `${level}: ${losses}, in f32 ${f32}`);
    });
  }
});

Deno.test("gradients in mixed precision are unscaled and close to those in f32", async () => {
  // Rounding changes the element that LeNet's max pooling selects in some windows
  for (const [test, tolerance] of full ? [[classifier, 0.01], [lenet, 0.1]] as const : [[classifier, 0.01]] as const) {
    const f32 = await gradientsOf(test, {});
    for (const level of LEVELS) {
      for (const [name, { data }] of await gradientsOf(test, { amp: { level, scaler: SCALER } })) {
        const wanted = f32.get(name)!.data;
        const norm = (values: Float32Array) => Math.hypot(...values);
        const error = norm(data.map((value, i) => value - wanted[i]!)) / norm(wanted);
        assert.ok(error > 0 && error <= tolerance, `${test.name}, ${level}: ${name} differs by ${error}`);
      }
    }
  }
});

Deno.test("at O3 every weight is an f16 that each step rounds again, also in recurrent layers and rotary attention", async () => {
  const learningRate = 0.5;
  await using trainer = await trainerOf({
    name: "half",
    model: sequential({
      rows: reshape([3, 4]),
      lstm: lstm(4),
      attention: multiHeadAttention({ heads: 2, causal: true, rotary: true }),
      flatten: flatten(),
      fc: linear(3),
    }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate }),
    data: classified([12], 3),
    loader: { batchSize: 4 },
    amp: { level: "O3", scaler: SCALER },
  });
  for (let step = 0; step < 2; step++) {
    const before = await trainer.parameters();
    await trainer.step();
    const gradients = await trainer.gradients();
    for (const [name, { data }] of await trainer.parameters()) {
      const [old, gradient] = [before.get(name)!.data, gradients.get(name)!.data];
      const wanted = Float16Array.from(old, (value, i) => Math.fround(value - learningRate * gradient[i]!));
      assert.deepEqual([...data], [...wanted], `${name} in step ${step}`);
      assert.ok(data.some((value, i) => value !== old[i]), `${name} does not change`);
    }
  }
});
