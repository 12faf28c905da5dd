import assert from "node:assert/strict";
import { relu } from "../../runtime/nn/activations.ts";
import { add } from "../../runtime/nn/add.ts";
import { linear } from "../../runtime/nn/linear.ts";
import { layer } from "../../runtime/nn/layer.ts";
import { buildModel } from "../../runtime/scenario/model.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { build, refuses } from "../nn/building.ts";

const body = linear(3);
const block = (x: Tensor) => relu()(body(x));
const shapeOf = (model: unknown, params = {}) => build(buildModel(model, params)!, [2, 5]).output.shape;

Deno.test("a marked layer is the model, with parameters and without", () => {
  assert.deepEqual(shapeOf(body), [2, 3]);
  assert.deepEqual(shapeOf(layer(block), { depth: 1 }), [2, 3]);
  assert.equal(buildModel(null, {}), null);
  assert.equal(buildModel(undefined, {}), null);
});

Deno.test("a function is called with the parameters, or without where there are none to take", () => {
  assert.deepEqual(shapeOf(({ n }: { n: number }) => linear(n), { n: 7 }), [2, 7]);
  assert.deepEqual(shapeOf(() => body), [2, 3]);
  assert.deepEqual(shapeOf(() => block, { n: 7 }), [2, 3]);
});

Deno.test("a function of one argument is the model where no parameters are declared", () => {
  assert.deepEqual(shapeOf(block), [2, 3]);
});

Deno.test("what makes no layer: the mend is named", () => {
  const mend = "wrap a layer of your own in layer((x) => ...)";
  refuses(
    () => buildModel(() => 3, {}),
    `model: expected the function to make a layer from the parameters, got a number; ${mend}`,
  );
  // a layer that was not marked, in a scenario with parameters
  refuses(
    () => buildModel(block, { n: 1 }),
    'model: linear: expected a tensor as input, got an object; it was called with the parameters {"n":1}. ' +
      `If it is the model itself, ${mend}`,
  );
  refuses(
    () => buildModel((x: Tensor) => add(x, x), { n: 1 }),
    /^model: add: expected two tensors.* If it is the model/,
  );
  refuses(() => buildModel((x: Tensor) => x.node.id, { n: 1 }), /^model: Cannot read prop.* If it is the model itself/);
  // a function that makes a layer, in a scenario without parameters
  refuses(
    () => build(buildModel((_: unknown) => body, {})!, [2, 5]),
    /^layer: expected the layer to return a tensor, got a layer/,
  );
  refuses(() => buildModel(() => linear(0), {}), "model: linear.features is 0; expected at least 1");
});
