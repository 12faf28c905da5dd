import assert from "node:assert/strict";
import { adamW, add, flatten, type Layer, layer, linear, scope, sequential, sgd } from "../../mod.ts";
import { bitsOf, small, trainerOf } from "./models.ts";

/** `fc1 -> fc2`, and two layers with unused results, in the arena before and between them. */
function model(): Layer {
  const [unused, fc1] = [scope("unused", linear(4)), scope("fc1", linear(7))];
  const [alsoUnused, fc2] = [scope("alsoUnused", linear(2)), scope("fc2", linear(3))];
  return layer((x) => {
    unused(x);
    const hidden = fc1(x);
    alsoUnused(hidden);
    return fc2(hidden);
  });
}

const optimizers = [
  sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 0.1 }),
  adamW({ learningRate: 0.1, weightDecay: 0.1 }),
];

Deno.test("parameters that the loss does not depend on do not change, even with weight decay", async () => {
  for (const optimizer of optimizers) {
    for (const amp of ["O0", "O2", "O3"] as const) {
      const where = `${optimizer.kind} ${amp}`;
      await using trainer = await trainerOf(small({ model: model(), optimizer, amp }));
      const before = bitsOf(await trainer.parameters());
      for (let i = 0; i < 2; i++) assert.equal((await trainer.step()).skipped, false, where);
      const after = bitsOf(await trainer.parameters());
      assert.equal(Object.keys(after).length, 8, where);
      for (const name of Object.keys(before)) {
        if (/nused/.test(name)) assert.deepEqual(after[name], before[name], `${where}: ${name}`);
        else assert.notDeepEqual(after[name], before[name], `${where}: ${name}`);
      }
      for (const [name, { data }] of await trainer.gradients()) {
        assert.equal(data.some((value) => value !== 0), !/nused/.test(name), `${where}: ${name}`);
      }
    }
  }
});

Deno.test("unreached parameters do not change the training of the others", async () => {
  const losses = async (layers: Layer) => {
    await using trainer = await trainerOf(small({ model: layers, optimizer: optimizers[0]! }));
    return [(await trainer.step()).loss, (await trainer.step()).loss, (await trainer.step()).loss];
  };
  assert.deepEqual(await losses(model()), await losses(sequential({ fc1: linear(7), fc2: linear(3) })));
});

Deno.test("a model runs without parameters, or if its loss depends on none", async () => {
  const none = small({ model: sequential({ double: layer((x) => add(x, x)), flatten: flatten() }) });
  await using trainer = await trainerOf(none);
  assert.ok(Number.isFinite((await trainer.step()).loss));
  assert.equal((await trainer.parameters()).size, 0);
  const unused = scope("unused", linear(4));
  await using idle = await trainerOf(small({ model: layer((x) => (unused(x), flatten()(x))), amp: "O2" }));
  const before = bitsOf(await idle.parameters());
  assert.ok(Number.isFinite((await idle.step()).loss));
  assert.deepEqual(bitsOf(await idle.parameters()), before);
});
