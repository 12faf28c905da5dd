import assert from "node:assert/strict";
import { add, type Layer, layer, linear, parameter, scope, sequential } from "../../mod.ts";
import { small, trainerOf } from "./models.ts";

/** Adds two learned rows: in a batch of one, their gradients and that of the layer before are of the same tensor. */
function model(): Layer {
  const before = scope("before", linear(7));
  const [first, second] = ["first", "second"].map((name) => parameter(name, [1, 7]));
  const after = scope("after", linear(3));
  return layer((x) => {
    const hidden = before(x);
    return after(add(add(hidden, first!(hidden)), second!(hidden)));
  });
}

Deno.test("a batch of one trains where the gradients of two parameters are one tensor", async () => {
  const gradientsOf = async (batchSize: number) => {
    await using trainer = await trainerOf(small({ model: sequential({ m: model() }), loader: { batchSize } }));
    const row = Float32Array.from({ length: 5 }, (_, i) => Math.sin(i));
    const input = { shape: [batchSize, 5], data: Float32Array.from({ length: 5 * batchSize }, (_, i) => row[i % 5]!) };
    const { loss } = await trainer.step({ input, target: new Int32Array(batchSize).fill(1) });
    return { loss, gradients: await trainer.gradients() };
  };
  const [one, two] = [await gradientsOf(1), await gradientsOf(2)];
  assert.ok(Math.abs(one.loss! - two.loss!) < 1e-6);
  assert.equal(one.gradients.size, 6);
  for (const [name, { data }] of one.gradients) {
    const other = two.gradients.get(name)!.data;
    assert.ok(data.some((value) => value !== 0), name);
    data.forEach((value, i) => assert.ok(Math.abs(value - other[i]!) < 1e-6, `${name}[${i}]: ${value}, ${other[i]}`));
  }
});
