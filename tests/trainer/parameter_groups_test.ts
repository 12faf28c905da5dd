import assert from "node:assert/strict";
import { InputError, sgd } from "../../mod.ts";
import { partsOf } from "../../runtime/trainer/trainer.ts";
import { assertSameBits, bits, bitsOf, type Settings, small, trainerOf } from "./models.ts";

const grouped = (groups: Settings["groups"], settings: Settings = {}) =>
  small({ optimizer: sgd({ learningRate: 0.1, momentum: 0.5, weightDecay: 0.2 }), groups, ...settings });

const NO_DECAY = [{ match: "vectors", weightDecay: 0 }];

Deno.test("each group is one dispatch over its part of the arena, and weights have the names of before", async () => {
  await using trainer = await trainerOf(grouped([...NO_DECAY, { match: ["fc2.*"], learningRate: 0.01 }]));
  const { plan } = partsOf(trainer).session.compiled;
  assert.deepEqual(plan.parameters.entries.map(({ name }) => name), [
    "fc1.weight",
    "fc1.bias", // of the first group, since the first that matches counts
    "fc2.bias",
    "fc2.weight",
  ]);
  const updates = plan.segments.at(-1)!.dispatches.filter(({ opType }) => opType === "sgd");
  assert.equal(updates.length, 3);
  assert.equal(plan.nodes.filter(({ type }) => type === "sgd").length, 1);
  assert.equal(new Set(updates.map(({ kernel }) => kernel.wgsl)).size, 1, "one pipeline");
});

Deno.test("a parameter's rate and decay are those of the first group that matches", async () => {
  await using trainer = await trainerOf(grouped([...NO_DECAY, { match: "fc2.*", learningRate: 0.01 }]));
  const before = await trainer.parameters();
  await trainer.step();
  const [after, gradients] = [await trainer.parameters(), await trainer.gradients()];
  const settings = (name: string) =>
    name.endsWith(".bias") ? [0.1, 0] as const : name === "fc2.weight" ? [0.01, 0.2] as const : [0.1, 0.2] as const;
  for (const [name, { data }] of after) {
    const [rate, decay] = settings(name);
    data.forEach((value, i) => {
      const from = before.get(name)!.data[i]!;
      const wanted = from - rate * (gradients.get(name)!.data[i]! + decay * from);
      assert.ok(Math.abs(value - wanted) <= 1e-6 * Math.abs(from) + 1e-7, `${name}[${i}] is ${value}, not ${wanted}`);
    });
  }
});

Deno.test("groups with the optimizer's own settings change no bit, and forward reads the reordered weights", async () => {
  const train = async (groups: Settings["groups"], amp: "O0" | "O3") => {
    await using trainer = await trainerOf(grouped(groups, { amp }));
    for (let step = 0; step < 3; step++) await trainer.step();
    const output = await trainer.forward(new Float32Array(10).fill(0.5));
    const parameters = Object.entries(bitsOf(await trainer.parameters())).toSorted(([a], [b]) => a < b ? -1 : 1);
    return { ...Object.fromEntries(parameters), output: bits(output.data) };
  };
  for (const amp of ["O0", "O3"] as const) {
    const same = [{ match: "vectors", weightDecay: 0.2, learningRate: 0.1 }];
    assertSameBits(await train(same, amp), await train([], amp), amp);
  }
});

Deno.test("names that match no parameter are refused with the nearest", async () => {
  await assert.rejects(
    trainerOf(grouped([{ match: ["*.bias", "fc1.wieght"], weightDecay: 0 }])),
    (error) =>
      error instanceof InputError &&
      /^groups: no parameter is called "fc1.wieght"; did you mean "?fc1.weight/.test(error.message),
  );
});
