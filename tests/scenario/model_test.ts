import assert from "node:assert/strict";
import { relu } from "../../runtime/nn/activations.ts";
import { add } from "../../runtime/nn/add.ts";
import { linear } from "../../runtime/nn/linear.ts";
import { type Layer, layer } from "../../runtime/nn/layer.ts";
import { source } from "../../runtime/data/sources/module.ts";
import { tensors } from "../../runtime/data/sources/tensors.ts";
import { tokens } from "../../runtime/data/sources/tokens.ts";
import { buildModel } from "../../runtime/scenario/model.ts";
import { type ModelData, modelData } from "../../runtime/scenario/model_data.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { build } from "../nn/building.ts";
import { refuses } from "../support/refuses.ts";

const body = linear(3);
const block = (x: Tensor) => relu()(body(x));
const points = { input: { shape: [5], data: new Float32Array(10) }, target: { data: Int32Array.of(0, 6) } };
const data = modelData(tensors(points));
const made = (model: unknown, params = {}) => buildModel(model, params, data);
const shapeOf = (model: unknown, params = {}) => build(made(model, params) as Layer, [2, 5]).output.shape;

Deno.test("a marked layer is the model, with or without parameters", () => {
  assert.deepEqual(shapeOf(body), [2, 3]);
  assert.deepEqual(shapeOf(layer(block), { depth: 1 }), [2, 3]);
  assert.equal(made(null), null);
  assert.equal(made(undefined), null);
});

Deno.test("a function is called with the parameters, or without any if it takes none", () => {
  assert.deepEqual(shapeOf(({ n }: { n: number }) => linear(n), { n: 7 }), [2, 7]);
  assert.deepEqual(shapeOf(() => body), [2, 3]);
  assert.deepEqual(shapeOf(() => block, { n: 7 }), [2, 3]);
});

Deno.test("a function of one argument is the model if no parameters are declared", () => {
  assert.deepEqual(shapeOf(block), [2, 3]);
});

Deno.test("a function is also given the data: classes, input and target", () => {
  assert.deepEqual(shapeOf((_: unknown, { classes }: ModelData) => linear(classes)), [2, 7]);
  assert.deepEqual(shapeOf(({ n }: { n: number }, { classes }: ModelData) => linear(n * classes), { n: 3 }), [2, 21]);
  assert.deepEqual([data.input, data.target], [{ shape: [5], dtype: "f32" }, { shape: [], dtype: "i32" }]);
  const series = modelData(tokens({ array: Uint8Array.of(1, 2, 8, 4), context: 2, testFraction: 0 }));
  assert.deepEqual([series.classes, series.inputs], [9, { input: { shape: [2], dtype: "i32" } }]);
});

Deno.test("the data is described only where the model asks, and an error is the data's", () => {
  const damaged = modelData(source({ module: "./none.ts", input: { shape: [1] }, classes: 2 }));
  assert.ok(buildModel(() => body, {}, damaged));
  refuses(() => buildModel((_: unknown, { classes }: ModelData) => linear(classes), {}, damaged), /^data: .*none\.ts/);
  const values = modelData(tensors({ ...points, target: { data: Float32Array.of(0, 6) } }));
  refuses(() => values.classes, "data: the model asks for data.classes, but the targets are values, not class indices");
  const inputs = { a: { shape: [1], data: new Float32Array(2) }, b: { shape: [1], data: new Float32Array(2) } };
  const two = modelData(tensors({ inputs, target: points.target }));
  refuses(() => two.input, "data: the model asks for data.input, but there are several: a, b; use data.inputs");
});

Deno.test("an invalid model is refused with a hint", () => {
  const hint = "wrap a custom layer in layer((x) => ...)";
  refuses(
    () => made(() => 3, {}),
    `model: expected the function to return a layer, got a number; ${hint}`,
  );
  // An unmarked layer in a scenario with parameters
  refuses(
    () => made(block, { n: 1 }),
    'model: linear: expected a tensor as input, got an object; called with parameters {"n":1}. ' +
      `If the function is the model itself, ${hint}`,
  );
  refuses(
    () => made((x: Tensor) => add(x, x), { n: 1 }),
    /^model: add: expected two tensors.* If the function is the model/,
  );
  refuses(
    () => made((x: Tensor) => x.node.id, { n: 1 }),
    /^model: Cannot read prop.* If the function is the model itself/,
  );
  // A function that returns a layer, in a scenario without parameters
  refuses(
    () => build(made((_: unknown) => body, {}) as Layer, [2, 5]),
    /^layer: expected the layer to return a tensor, got a layer/,
  );
  refuses(() => made(() => linear(0), {}), "model: linear.features is 0; expected at least 1");
});
