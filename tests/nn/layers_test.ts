import assert from "node:assert/strict";
import { sum } from "../../ops/sum.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { gelu, relu, sigmoid, softmax, tanh } from "../../runtime/nn/activations.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { add } from "../../runtime/nn/add.ts";
import { batchNorm } from "../../runtime/nn/batch_norm.ts";
import { conv2d, type Conv2dOptions } from "../../runtime/nn/conv2d.ts";
import { dropout } from "../../runtime/nn/dropout.ts";
import { constant, he, ones, uniform, xavier, zeros } from "../../runtime/nn/initializers.ts";
import { isLayer, type Layer, layer } from "../../runtime/nn/layer.ts";
import { linear } from "../../runtime/nn/linear.ts";
import { avgPool2d, globalAvgPool2d, maxPool2d } from "../../runtime/nn/pooling.ts";
import { scope } from "../../runtime/nn/scope.ts";
import { sequential } from "../../runtime/nn/sequential.ts";
import { flatten, identity, reshape } from "../../runtime/nn/shaping.ts";
import { build, initializerOf } from "./building.ts";
import { refuses } from "../support/refuses.ts";

const IMAGES = [2, 6, 15, 17];

function shapeAfter(layer: Layer, shape: readonly number[] = IMAGES) {
  return build(layer, shape).output.shape;
}

Deno.test("conv2d computes shapes of outputs and weights", () => {
  const cases: { channels: number; options: Conv2dOptions; output: number[]; weight: number[] }[] = [
    { channels: 8, options: { kernel: 3 }, output: [2, 8, 13, 15], weight: [8, 6, 3, 3] },
    { channels: 8, options: { kernel: [1, 3], stride: [2, 1] }, output: [2, 8, 8, 15], weight: [8, 6, 1, 3] },
    { channels: 8, options: { kernel: 5, padding: "same" }, output: [2, 8, 15, 17], weight: [8, 6, 5, 5] },
    { channels: 8, options: { kernel: 3, padding: "same", stride: 2 }, output: [2, 8, 8, 9], weight: [8, 6, 3, 3] },
    { channels: 8, options: { kernel: 3, padding: "same", dilation: 2 }, output: [2, 8, 15, 17], weight: [8, 6, 3, 3] },
    { channels: 9, options: { kernel: 3, groups: 3, padding: [1, 0] }, output: [2, 9, 15, 15], weight: [9, 2, 3, 3] },
    { channels: 12, options: { kernel: 3, groups: "depthwise" }, output: [2, 12, 13, 15], weight: [12, 1, 3, 3] },
  ];
  for (const { channels, options, output, weight } of cases) {
    const built = build(conv2d(channels, options), IMAGES);
    assert.deepEqual(built.output.shape, output, JSON.stringify(options));
    assert.deepEqual([...built.parameters], [["conv2d.weight", weight], ["conv2d.bias", [channels]]]);
  }
  assert.deepEqual([...build(conv2d(8, { kernel: 1, bias: false }), IMAGES).parameters.keys()], ["conv2d.weight"]);
});

Deno.test("conv2d and linear store weights in the kernels' layout", () => {
  const { graph } = build(sequential(conv2d(4, { kernel: 3 }), flatten(), linear(3)), [2, 3, 8, 8]);
  const layouts = graph.leaves("parameter").map((tensor) => tensor.type.layout);
  assert.deepEqual(layouts, ["hwio", "row", "io", "row"]);
});

Deno.test("other layers compute output shapes", () => {
  assert.deepEqual(shapeAfter(maxPool2d({ kernel: 2 })), [2, 6, 7, 8]);
  assert.deepEqual(shapeAfter(maxPool2d({ kernel: 3, stride: 2, padding: 1 })), [2, 6, 8, 9]);
  assert.deepEqual(shapeAfter(avgPool2d({ kernel: [3, 1], stride: 1 })), [2, 6, 13, 17]);
  assert.deepEqual(shapeAfter(globalAvgPool2d()), [2, 6, 1, 1]);
  assert.deepEqual(shapeAfter(flatten()), [2, 6 * 15 * 17]);
  assert.deepEqual(shapeAfter(reshape([3, -1])), [2, 3, 2 * 15 * 17]);
  assert.deepEqual(shapeAfter(linear(3), [2, 5, 7]), [2, 5, 3]);
  assert.deepEqual(shapeAfter(batchNorm(), [4, 7]), [4, 7]);
  for (const make of [relu, gelu, tanh, sigmoid, dropout, identity, batchNorm]) {
    assert.deepEqual(shapeAfter(make()), IMAGES);
  }
});

Deno.test("leaves take the scope's name, others extend it, and equal names are numbered", () => {
  const block = () => layer((x) => relu()(add(conv2d(6, { kernel: 3, padding: 1 })(x), x)));
  const model = sequential({
    stem: conv2d(6, { kernel: 1 }),
    body: sequential(block(), block()),
    head: scope("inner.part", batchNorm()),
    free: layer((x) => conv2d(2, { kernel: 1 })(conv2d(2, { kernel: 1 })(x))),
  });
  const { parameters, nodes, graph } = build(model, IMAGES);
  assert.deepEqual(nodes, [
    "stem",
    "body.0.conv2d",
    "body.0.add",
    "body.0.relu",
    "body.1.conv2d",
    "body.1.add",
    "body.1.relu",
    "head.inner.part",
    "free.conv2d",
    "free.conv2d_1",
  ]);
  assert.ok(parameters.has("body.1.conv2d.weight"));
  assert.ok(parameters.has("head.inner.part.bias"));
  for (const node of graph.nodes) assert.equal(node.layer, node.id);
});

Deno.test("a layer applied twice shares its weights", () => {
  const shared = conv2d(6, { kernel: 3, padding: 1 });
  const { parameters, nodes, graph } = build(sequential({ a: shared, relu: relu(), b: shared }), IMAGES);
  assert.deepEqual([...parameters.keys()], ["a.weight", "a.bias"]);
  assert.deepEqual(nodes, ["a", "relu", "a#1"]);
  assert.equal(graph.nodes.at(-1)!.layer, "a");
});

Deno.test("a layer applied to another number of channels names both shapes", () => {
  const shared = conv2d(4, { kernel: 1 });
  refuses(
    () => build(sequential({ a: shared, b: shared }), IMAGES),
    'model: layer "a": its weights were made for input [2, 6, 15, 17] with 6 channels, and cannot be applied to ' +
      "[2, 4, 15, 17] with 4; make a second layer for it",
  );
});

Deno.test("running statistics are state, and inference has no dropout", () => {
  const model = sequential({ norm: batchNorm(), drop: dropout(0.3) });
  assert.deepEqual(build(model, IMAGES).nodes, ["norm", "drop"]);
  const { nodes, graph } = build(model, IMAGES, "infer");
  assert.deepEqual(nodes, ["norm"]);
  assert.deepEqual(graph.leaves("state").map(({ node }) => node.id), ["norm.running_mean", "norm.running_var"]);
});

Deno.test("layers use PyTorch's initialisers by default, or the given ones", () => {
  const model = sequential({
    plain: conv2d(4, { kernel: 3 }),
    he: conv2d(5, { kernel: 3, init: he({ fan: "out" }), biasInit: zeros() }),
    flatten: flatten(),
    xavier: linear(3, { init: xavier(), biasInit: uniform(-1, 2) }),
    ones: linear(2, { init: ones(), biasInit: constant(0.5) }),
  });
  const built = build(model, IMAGES);
  const bound = 1 / Math.sqrt(6 * 9);
  const start = initializerOf(built, "plain.weight");
  assert.ok(start?.kind === "uniform" && Math.abs(start.high - bound) < 1e-12 && start.low === -start.high);
  assert.deepEqual(initializerOf(built, "plain.bias"), { kind: "uniform", low: -bound, high: bound });
  assert.deepEqual(initializerOf(built, "he.weight"), { kind: "normal", mean: 0, deviation: Math.sqrt(2 / (5 * 9)) });
  assert.deepEqual(initializerOf(built, "he.bias"), { kind: "constant", value: 0 });
  const into = 5 * 11 * 13;
  const glorot = initializerOf(built, "xavier.weight");
  assert.ok(glorot?.kind === "uniform" && Math.abs(glorot.high - Math.sqrt(6 / (into + 3))) < 1e-12);
  assert.deepEqual(initializerOf(built, "ones.bias"), { kind: "constant", value: 0.5 });
});

Deno.test("invalid options of conv2d are refused with one readable message", () => {
  const unsafe = conv2d as (channels: unknown, options: unknown) => Layer;
  refuses(() => unsafe(8, { kernell: 3, kernel: 3 }), 'conv2d has no "kernell"; did you mean "kernel"?');
  refuses(() => unsafe(0, { kernel: 3 }), "conv2d.channels is 0; expected at least 1");
  refuses(() => unsafe(8, 3), "conv2d: expected a record of options such as { kernel: ... }, got a number");
  refuses(
    () => unsafe(8, {}),
    /^conv2d\.kernel is missing; expected a whole number of at least 1, or \[height, width\]$/,
  );
  refuses(() => unsafe(8, { kernel: [3, 0] }), "conv2d.kernel[1] is 0; expected at least 1");
  refuses(() => unsafe(8, { kernel: 3, stride: -1 }), /^conv2d\.stride is -1; expected/);
  refuses(() => unsafe(8, { kernel: 3, padding: "valid" }), /^conv2d\.padding is "valid"; .* or "same"$/);
  refuses(
    () => unsafe(8, { kernel: 3, bias: 1, groups: 0 }),
    /^conv2d\.groups is 0; .*\nconv2d\.bias is 1; expected true or false$/,
  );
  refuses(() => unsafe(8, { kernel: 3, init: "he" }), /^conv2d\.init is "he"; expected an initialiser: he\(\)/);
});

Deno.test("invalid options of other layers are refused with one readable message", () => {
  refuses(() => linear(1.5), "linear.features is 1.5; expected a whole number");
  refuses(() => dropout(1), "dropout.p is 1; expected less than 1");
  refuses(() => batchNorm({ momentum: 2 }), "batchNorm.momentum is 2; expected at most 1");
  refuses(() => batchNorm({ epsilon: 0 }), "batchNorm.epsilon is 0; expected more than 0");
  refuses(() => maxPool2d({ kernel: 0 }), /^maxPool2d\.kernel is 0; expected/);
  refuses(() => reshape([0, 2]), /^reshape: expected the sizes of one sample.*got \[0,2\]$/);
});

Deno.test("unsuitable shapes are refused with the layer and the shapes", () => {
  refuses(
    () => build(sequential({ head: linear(3) }), IMAGES),
    'model: layer "head": linear expects an input [n, ..., features], got images [2, 6, 15, 17] (n, c, h, w); put flatten() before it, or transpose(x, [0, 2, 3, 1]) to apply it to the channels of each pixel',
  );
  refuses(
    () => build(scope("c", conv2d(3, { kernel: 1 })), [2, 6]),
    /^model: layer "c": conv2d expects .* got \[2, 6\]/,
  );
  refuses(() => build(scope("c", conv2d(8, { kernel: 1, groups: 4 })), IMAGES), /^model: layer "c": .*groups 4.*6.*8$/);
  refuses(
    () => build(scope("c", conv2d(8, { kernel: 2, padding: "same" })), IMAGES),
    /^model: layer "c": padding "same"/,
  );
  refuses(() => build(scope("c", conv2d(8, { kernel: 99 })), IMAGES), /^model: layer "c": .*99x99.*\[2, 6, 15, 17\]/);
  const branches = layer((x) => add(conv2d(3, { kernel: 1 })(x), x));
  refuses(() => build(scope("b", branches), IMAGES), /^model: layer "b\.add": .*\[2, 3, 15, 17\] and \[2, 6, 15, 17\]/);
  refuses(() => build(scope("r", reshape([7])), IMAGES), /^model: layer "r": .*\[2, 7\]/);
});

Deno.test("values that are not layers are refused", () => {
  refuses(() => relu()(3 as never), "relu: expected a tensor as input, got a number");
  refuses(
    () => build(layer((() => relu()) as never), IMAGES),
    /^layer: expected the layer to return a tensor, got a layer; a layer is a function such as/,
  );
  refuses(() => layer(3 as never), "layer: expected a function from tensor to tensor, got a number");
  refuses(() => sequential(relu(), 5 as never), 'sequential: expected a layer under "1", got a number');
  refuses(() => sequential({ "0": relu() }), /^sequential: a record does not keep the order of numbers such as "0"/);
  refuses(() => scope("a b", relu()), 'scope: expected a name of letters, digits and underscores, got "a b"');
  refuses(() => build(layer((x) => add(x, relu() as never)), IMAGES), /^add: expected two tensors, got a layer/);
  assert.ok(isLayer(sequential()) && isLayer(scope("a", (x) => x)) && !isLayer((x: unknown) => x));
});

Deno.test("a factory in place of a layer is refused with its path and the fix", () => {
  const factory = (value: unknown) => value as Layer;
  const wrong = (...children: Layer[]) => () => build(scope("stem", sequential(...children)), IMAGES);
  for (const name of Object.entries({ relu, tanh, flatten, globalAvgPool2d, identity })) {
    refuses(
      wrong(relu(), factory(name[1])),
      new RegExp(`^model: layer "stem\\.1": ${name[0]} makes a layer; write ${name[0]}\\(\\) instead of ${name[0]}$`),
    );
  }
  for (const [name, make] of Object.entries({ gelu, dropout, batchNorm, linear, reshape })) {
    refuses(
      wrong(factory(make), relu()),
      new RegExp(`^model: layer "stem\\.0": ${name} makes a layer, but got a tensor; write ${name}\\(\\.\\.\\.\\)`),
    );
  }
  refuses(
    wrong(factory((_x: unknown) => relu())),
    /^model: layer "stem\.0": expected the function to return a tensor, got a layer; apply that layer, as in relu\(\)\(x\)$/,
  );
  refuses(wrong(factory((_x: unknown) => 3)), /"stem\.0": expected the function to return a tensor, got a number$/);
});

Deno.test("a tensor that a closure keeps from another build is refused with the layer and the fix", () => {
  let kept: Tensor | null = null;
  const model = sequential(conv2d(6, { kernel: 1 }), layer((x) => add(kept ??= x, x)));
  build(model, IMAGES);
  const message = /^model: layer "1": mixes tensors of two builds of the model; .*inside the layer's function/;
  refuses(() => build(model, IMAGES), message);
  refuses(() => build(sequential(relu(), layer(() => relu()(kept!))), IMAGES), message);
});

Deno.test("an error of an op names the layer that applies it", () => {
  const layers = { softmax: softmax({ dim: 3 }), pool: layer((x) => sum(x, { axes: 2 })) };
  for (const [op, last] of [["softmax", layers.softmax], ["sum", layers.pool]] as const) {
    const x = new Graph().leaf("input", "x", rowMajor([4, 6], "f32"));
    assert.throws(
      () => sequential({ first: relu(), last: sequential({ inner: last }) })(x),
      new RegExp(
        `^InputError: model: layer "last.inner": ${op} expects an axis from -2 to 1 for shape \\[4, 6\\], got`,
      ),
    );
  }
});
