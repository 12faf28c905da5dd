import assert from "node:assert/strict";
import { adam, sgd, type Trainer } from "../../mod.ts";
import { assertSameBits, bitsOf, regression, type Settings, small, trainerOf } from "./models.ts";

const INPUT = Float32Array.from({ length: 20 }, (_, i) => ((i * 7) % 11) / 11 - 0.4);
const TARGET = Int32Array.of(0, 2, 1, 1);

function scaled(level: "O1" | "O2" | "O3", scaler: object, settings: Settings = {}) {
  return small({ ...settings, amp: { level, scaler } });
}

Deno.test("an overflowing gradient skips the step on the device and halves the loss scale", async () => {
  for (const level of ["O1", "O2", "O3"] as const) {
    await using trainer = await trainerOf(scaled(level, { init: 2 ** 24 }, { optimizer: sgd({ learningRate: 0.5 }) }));
    const start = bitsOf(await trainer.parameters());
    let [scale, skipped] = [2 ** 24, 0];
    while (skipped < 30) {
      const outcome = await trainer.step({ input: INPUT, target: TARGET });
      assert.equal(outcome.lossScale, scale);
      assert.ok(outcome.loss > 0.5 && outcome.loss < 2, `${level}: the loss is reported unscaled: ${outcome.loss}`);
      if (!outcome.skipped) break;
      skipped++;
      scale /= 2;
      assertSameBits(bitsOf(await trainer.parameters()), start, `${level}: after a skipped step`);
    }
    assert.ok(skipped >= 5 && skipped < 30, `${level}: ${skipped} steps skipped`);
    const after = bitsOf(await trainer.parameters());
    assert.notDeepEqual(after, start);
    for (const [name, { data }] of await trainer.gradients()) {
      assert.ok(data.every((value) => Math.abs(value) < 1), `${level}: ${name} is unscaled: ${data}`);
    }
  }
});

Deno.test("a skipped step changes neither Adam's step count nor momentum", async () => {
  for (const optimizer of [adam({ learningRate: 0.01 }), sgd({ learningRate: 0.1, momentum: 0.9, dampening: 0.5 })]) {
    await using late = await trainerOf(scaled("O2", { init: 2 ** 24 }, { optimizer }));
    let scale = 2 ** 24;
    while (scale > 1 && (await late.step({ input: INPUT, target: TARGET })).skipped) scale /= 2;
    assert.ok(scale > 1 && scale < 2 ** 24, `${scale}`);
    await using prompt = await trainerOf(scaled("O2", { init: scale }, { optimizer }));
    assert.equal((await prompt.step({ input: INPUT, target: TARGET })).skipped, false);
    for (let i = 0; i < 3; i++) {
      assertSameBits(bitsOf(await late.parameters()), bitsOf(await prompt.parameters()), `${optimizer.kind}, ${i}`);
      await late.step({ input: INPUT, target: TARGET });
      await prompt.step({ input: INPUT, target: TARGET });
    }
  }
});

Deno.test("the loss scale grows after every interval of good steps, and a skipped step restarts the interval", async () => {
  await using trainer = await trainerOf(scaled("O2", { init: 8, growth: 4, interval: 3, backoff: 0.25 }));
  const scales: number[] = [];
  for (let step = 0; step < 8; step++) {
    // Inputs of 1e5 do not fit f16
    const input = step === 4 ? INPUT.map((value) => value * 1e6) : INPUT;
    const { lossScale, skipped } = await trainer.step({ input, target: TARGET });
    scales.push(lossScale);
    assert.equal(skipped, step === 4, `step ${step}`);
  }
  assert.deepEqual(scales, [8, 8, 8, 32, 32, 8, 8, 8]);
  assert.equal((await trainer.step({ input: INPUT, target: TARGET })).lossScale, 32);
});

Deno.test("a fixed loss scale does not change, even if gradients overflow", async () => {
  await using trainer = await trainerOf(scaled("O2", { dynamic: false, init: 2 ** 24 }));
  const start = bitsOf(await trainer.parameters());
  for (let step = 0; step < 3; step++) {
    const { lossScale, skipped } = await trainer.step({ input: INPUT, target: TARGET });
    assert.deepEqual([lossScale, skipped], [2 ** 24, true]);
  }
  assert.deepEqual(bitsOf(await trainer.parameters()), start);
});

Deno.test("without loss scaling nothing is skipped in f32", async () => {
  await using trainer = await trainerOf(small({ amp: { level: "O0", scaler: { init: 2 ** 24 } } }));
  assert.deepEqual(
    await trainer.step({ input: INPUT, target: TARGET }).then(({ lossScale, skipped }) => ({ lossScale, skipped })),
    { lossScale: 1, skipped: false },
  );
});

/** Runs a step in which only the product of the last input and the last output's error exceeds f16's range. */
async function overflowLast(trainer: Trainer, last: number) {
  const input = new Float32Array(20).fill(0.5);
  for (let row = 0; row < 4; row++) input[row * 5 + 4] = last;
  const target = new Float32Array(12);
  for (let row = 0; row < 4; row++) target[row * 3 + 2] = -1200;
  return await trainer.step({ input, target });
}

Deno.test("an infinity in the last element of a parameter of odd size is detected", async () => {
  for (const level of ["O1", "O2", "O3"] as const) {
    await using trainer = await trainerOf(regression({ amp: { level, scaler: { dynamic: false, init: 1 } } }));
    const zeros = new Map([
      ["fc.weight", { shape: [3, 5], data: new Float32Array(15) }],
      ["fc.bias", { shape: [3], data: new Float32Array(3) }],
    ]);
    await trainer.loadParameters(zeros);
    // The error of output 2 is 200 in each row: times 4 x 60 fits, times 4 x 600 does not
    assert.equal((await overflowLast(trainer, 60)).skipped, false, level);
    await trainer.loadParameters(zeros);
    const start = bitsOf(await trainer.parameters());
    assert.equal((await overflowLast(trainer, 600)).skipped, true, level);
    const gradient = (await trainer.gradients()).get("fc.weight")!.data;
    const infinite = [...gradient].flatMap((value, i) => Number.isFinite(value) ? [] : [i]);
    assert.deepEqual(infinite, [14], level);
    assert.deepEqual(bitsOf(await trainer.parameters()), start, level);
  }
});
