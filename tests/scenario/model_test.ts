import assert from "node:assert/strict";
import { relu } from "../../runtime/nn/activations.ts";
import { add } from "../../runtime/nn/add.ts";
import { linear } from "../../runtime/nn/linear.ts";
import { type Layer, layer } from "../../runtime/nn/layer.ts";
import { buildModel } from "../../runtime/scenario/model.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { build, refuses } from "../nn/building.ts";

const body = linear(3);
const block = (x: Tensor) => relu()(body(x));
const shapeOf = (model: unknown, params = {}) => build(buildModel(model, params) as Layer, [2, 5]).output.shape;

Deno.test("a marked layer is the model, with or without parameters", () => {
  assert.deepEqual(shapeOf(body), [2, 3]);
  assert.deepEqual(shapeOf(layer(block), { depth: 1 }), [2, 3]);
  assert.equal(buildModel(null, {}), null);
  assert.equal(buildModel(undefined, {}), null);
});

Deno.test("a function is called with the parameters, or without any if it takes none", () => {
  assert.deepEqual(shapeOf(({ n }: { n: number }) => linear(n), { n: 7 }), [2, 7]);
  assert.deepEqual(shapeOf(() => body), [2, 3]);
  assert.deepEqual(shapeOf(() => block, { n: 7 }), [2, 3]);
});

Deno.test("a function of one argument is the model if no parameters are declared", () => {
  assert.deepEqual(shapeOf(block), [2, 3]);
});

Deno.test("an invalid model is refused with a hint", () => {
  const hint = "wrap a custom layer in layer((x) => ...)";
  refuses(
    () => buildModel(() => 3, {}),
    `model: expected the function to return a layer, got a number; ${hint}`,
  );
  // An unmarked layer in a scenario with parameters
  refuses(
    () => buildModel(block, { n: 1 }),
    'model: linear: expected a tensor as input, got an object; called with parameters {"n":1}. ' +
      `If the function is the model itself, ${hint}`,
  );
  refuses(
    () => buildModel((x: Tensor) => add(x, x), { n: 1 }),
    /^model: add: expected two tensors.* If the function is the model/,
  );
  refuses(
    () => buildModel((x: Tensor) => x.node.id, { n: 1 }),
    /^model: Cannot read prop.* If the function is the model itself/,
  );
  // A function that returns a layer, in a scenario without parameters
  refuses(
    () => build(buildModel((_: unknown) => body, {}) as Layer, [2, 5]),
    /^layer: expected the layer to return a tensor, got a layer/,
  );
  refuses(() => buildModel(() => linear(0), {}), "model: linear.features is 0; expected at least 1");
});
