import assert from "node:assert/strict";
import { join } from "node:path";
import { adamW, dropout, InputError, linear, rmsprop, schedules, sequential, sgd, tanh } from "../../mod.ts";
import { StepWord } from "../../ops/optimizer/step_state.ts";
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

Deno.test("a checkpoint with values that no training continues from is refused, and nothing is changed", async () => {
  const file = join(folder, "forged.safetensors");
  await using trainer = await trainerOf(small({ optimizer: adamW(), ema: true, amp: "O2" }));
  await trainer.step();
  await trainer.saveCheckpoint(file);
  const good = Deno.readFileSync(file);
  const parameters = bitsOf(await trainer.parameters());
  const header = 8 + Number(new DataView(good.buffer).getBigUint64(0, true));
  const tensors = JSON.parse(new TextDecoder().decode(good.subarray(8, header)));
  const forged = async (name: string, word: number, value: number, message: RegExp) => {
    const bytes = good.slice();
    const at = header + tensors[name].data_offsets[0] + 4 * word;
    const view = new DataView(bytes.buffer);
    if (name === "@drawn") view.setInt32(at, value, true);
    else view.setFloat32(at, value, true);
    Deno.writeFileSync(file, bytes);
    await assert.rejects(trainer.loadCheckpoint(file), (error) => {
      assert.ok(error instanceof InputError, `${error}`);
      assert.match(error.message, /^The checkpoint .*forged\.safetensors is damaged, or its training diverged:\n/);
      assert.match(error.message, message);
      return true;
    });
    assertSameBits(bitsOf(await trainer.parameters()), parameters, name);
  };
  for (const scale of [0, -1, NaN, Infinity]) {
    await forged("@step", StepWord.lossScale, scale, new RegExp(`loss scale is ${scale}; expected a number above 0$`));
  }
  await forged("@drawn", 0, -1, /-1 batches were taken from the data; expected at least 0$/);
  for (const name of ["fc1.weight", "@average/fc1.weight", "@optimizer.adamW.1/fc1.weight"]) {
    await forged(name, 1, NaN, new RegExp(`\n {2}${name}: 1 NaN among \\d+ values; expected finite values$`));
  }
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
