import assert from "node:assert/strict";
import { adamW, InputError, tensors } from "../../mod.ts";
import { partsOf } from "../../runtime/trainer/trainer.ts";
import { labels, normals } from "../support/reference/random.ts";
import { assertSameBits, bitsOf, type Settings, small, trainerOf } from "./models.ts";

const TEST = { input: normals(12 * 5, 5), target: labels(12, 3, 6) };

const averaged = (settings: Settings = {}) =>
  small({
    optimizer: adamW({ learningRate: 0.1 }),
    ema: { decay: 0.75 },
    data: tensors({
      input: { shape: [5], data: normals(64 * 5, 1) },
      target: { data: labels(64, 3, 2) },
      test: { input: { shape: [5], data: TEST.input }, target: { data: TEST.target } },
      classes: 3,
    }),
    ...settings,
  });

Deno.test("averages follow the parameters; f16 parameters are averaged in f32", async () => {
  for (const amp of ["O0", "O3"] as const) {
    await using trainer = await trainerOf(averaged({ amp }));
    const wanted = await trainer.averages();
    const start = await trainer.parameters();
    const stored = (values: Float32Array) => amp === "O3" ? Float32Array.from(new Float16Array(values)) : values;
    for (const [name, { data }] of wanted) {
      assert.deepEqual(stored(data), start.get(name)!.data, `${name} at the start`);
    }
    for (let step = 0; step < 5; step++) {
      assert.equal((await trainer.step()).skipped, false);
      const now = await trainer.parameters();
      for (const [name, { data }] of wanted) {
        now.get(name)!.data.forEach((p, i) => data[i] = step === 0 ? p : 0.75 * data[i]! + 0.25 * p);
      }
    }
    for (const [name, { data }] of await trainer.averages()) {
      data.forEach((value, i) => {
        const want = wanted.get(name)!.data[i]!;
        assert.ok(Math.abs(value - want) <= 1e-6 + 1e-6 * Math.abs(want), `${amp}: ${name}[${i}] ${value}, ${want}`);
      });
    }
  }
});

Deno.test("evaluations use the averages, or the parameters with ema.evaluate false", async () => {
  for (const amp of ["O0", "O3"] as const) {
    const losses = async (evaluate: boolean) => {
      await using trainer = await trainerOf(averaged({ amp, ema: { decay: 0.75, evaluate } }));
      for (let step = 0; step < 5; step++) await trainer.step();
      const { loss } = await trainer.evaluate();
      await trainer.loadParameters(await trainer.averages());
      return { loss: loss!, afterLoading: (await trainer.evaluate()).loss! };
    };
    const [averages, parameters] = [await losses(true), await losses(false)];
    // f16 rounds the averages once in either case
    assert.equal(averages.loss, parameters.afterLoading, amp);
    assert.equal(averages.afterLoading, averages.loss, `${amp}: loaded parameters restart the averages`);
    assert.notEqual(parameters.loss, averages.loss, amp);
  }
});

Deno.test("averages change no bit of the training, and a skipped step leaves them alone", async () => {
  const train = async (settings: Settings) => {
    await using trainer = await trainerOf(averaged(settings));
    for (let step = 0; step < 3; step++) await trainer.step();
    return bitsOf(await trainer.parameters());
  };
  assertSameBits(await train({}), await train({ ema: null }), "parameters");
  await using trainer = await trainerOf(averaged({ amp: "O2" }));
  await trainer.step();
  const before = bitsOf(await trainer.averages());
  const input = Float32Array.from(normals(20, 3));
  input[3] = Infinity;
  assert.equal((await trainer.step({ input, target: Int32Array.of(0, 1, 2, 0) })).skipped, true);
  assertSameBits(bitsOf(await trainer.averages()), before, "averages");
});

Deno.test("the update of the averages is an op of the update, whose memory belongs to the optimizer", async () => {
  await using trainer = await trainerOf(averaged());
  await using without = await trainerOf(averaged({ ema: null }));
  const [own, other] = [partsOf(trainer), partsOf(without)].map(({ session }) => session.compiled);
  const { averageBytes, nodes } = own!.plan;
  assert.equal(own!.memory.optimizer - other!.memory.optimizer, averageBytes);
  assert.equal(nodes.find(({ type }) => type === "average")?.phase, "update");
  await assert.rejects(
    without.averages(),
    (error) => error instanceof InputError && /averages: this variant has none/.test(error.message),
  );
});
