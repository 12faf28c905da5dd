import assert from "node:assert/strict";
import { join } from "node:path";
import { adamW, dropout, InputError, linear, rmsprop, schedules, sequential, sgd, tanh } from "../../mod.ts";
import { assertSameBits, bitsOf, type Settings, small, trainerOf } from "./models.ts";

const folder = Deno.makeTempDirSync({ prefix: "tacho-checkpoint-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const SETTINGS: Record<string, Settings> = {
  plain: {},
  adamW: {
    model: sequential({ fc1: linear(7), tanh: tanh(), drop: dropout(0.3), fc2: linear(3) }),
    optimizer: adamW({ learningRate: 0.05 }),
    schedule: schedules.cosine({ steps: 8, warmup: 2 }),
    groups: [{ match: "vectors", weightDecay: 0 }],
    ema: { decay: 0.8 },
  },
  "micro-batches in f16": {
    optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
    amp: { level: "O3", scaler: { init: 4096, interval: 2 } },
    accumulate: 2,
    clipNorm: 0.5,
    schedule: schedules.step({ stepSize: 2, gamma: 0.5 }),
    ema: true,
  },
};

Deno.test("a training that continues from a checkpoint is the same as one without a break", async () => {
  for (const [name, settings] of Object.entries(SETTINGS)) {
    const file = join(folder, `${name}.safetensors`);
    await using whole = await trainerOf(small(settings));
    await using first = await trainerOf(small(settings));
    for (let i = 0; i < 3; i++) {
      await whole.step();
      await first.step();
    }
    await first.saveCheckpoint(file);
    await using second = await trainerOf(small(settings));
    await second.step(); // which the checkpoint replaces
    await second.loadCheckpoint(file);
    for (let i = 0; i < 3; i++) assert.deepEqual(await second.step(), await whole.step(), name);
    assertSameBits(bitsOf(await second.parameters()), bitsOf(await whole.parameters()), name);
    if (settings.ema) assertSameBits(bitsOf(await second.averages()), bitsOf(await whole.averages()), name);
  }
});

Deno.test("a checkpoint of another training is refused, and nothing is changed", async () => {
  const file = join(folder, "other.safetensors");
  await using from = await trainerOf(small({ optimizer: adamW({ learningRate: 0.1 }), accumulate: 3 }));
  await from.step();
  await from.saveCheckpoint(file);
  const refused = async (settings: Settings, message: RegExp) => {
    await using trainer = await trainerOf(small(settings));
    const before = bitsOf(await trainer.parameters());
    await assert.rejects(
      trainer.loadCheckpoint(file),
      (error) => error instanceof InputError && message.test(error.message),
      String(message),
    );
    assertSameBits(bitsOf(await trainer.parameters()), before, String(message));
  };
  await refused({ optimizer: rmsprop() }, /of another model or optimizer:\n {2}missing: @optimizer\.rmsprop\.0\/fc1/);
  await refused({ model: linear(3), optimizer: adamW() }, /not in this training: fc1.weight/);
  await refused({ optimizer: adamW(), accumulate: 2 }, /after 3 micro-batches, which is no multiple of accumulate 2/);
  await from.save(file);
  await refused({ optimizer: adamW() }, /has weights, but no state of a training; read it with load\(\)/);
  await Deno.writeFile(file, new Uint8Array(20));
  await refused({ optimizer: adamW() }, /damaged/);
});

Deno.test("averages that a checkpoint lacks start at its parameters", async () => {
  const file = join(folder, "averages.safetensors");
  await using from = await trainerOf(small());
  await from.step();
  await from.saveCheckpoint(file);
  await using trainer = await trainerOf(small({ ema: true }));
  await trainer.loadCheckpoint(file);
  assertSameBits(bitsOf(await trainer.averages()), bitsOf(await from.parameters()), "averages");
  await trainer.saveCheckpoint(file);
  await from.loadCheckpoint(file); // ignores averages
});
