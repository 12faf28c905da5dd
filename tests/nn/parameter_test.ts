/** `parameter()` and `buffer()` of a script's own layers. */
import assert from "node:assert/strict";
import {
  add,
  buffer,
  createTrainer,
  type Layer,
  layer,
  linear,
  mul,
  normal,
  ones,
  parameter,
  scope,
  sequential,
  type Tensor,
} from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { small } from "../trainer/models.ts";
import { refuses } from "../support/refuses.ts";

/** Multiplies each feature by a trained number and adds a constant. */
function affine(table: readonly number[]): Layer {
  const scale = parameter("scale", (x) => [x.shape.at(-1)!], { init: ones() });
  const shift = buffer("shift", [table.length], { init: table });
  return layer((x) => add(mul(x, scale(x)), shift(x)));
}

function input(shape: readonly number[] = [4, 5]): Tensor {
  return new Graph().leaf("input", "x", rowMajor(shape, "f32"));
}

Deno.test("parameters are named by their layer, shared by its applications, trained, saved and restored", async () => {
  const table = [1, 2, 3, 4, 5];
  const norm = affine(table);
  const model = sequential({ norm, body: layer((x) => norm(norm(x))), fc: linear(3) });
  await using trainer = await createTrainer(small({ model }));
  const before = await trainer.parameters();
  assert.deepEqual([...before.keys()], ["norm.scale", "fc.weight", "fc.bias"]);
  assert.deepEqual([...before.get("norm.scale")!.data], [1, 1, 1, 1, 1]);
  assert.deepEqual([...(await trainer.runningState()).get("norm.shift")!.data], table);
  await trainer.step();
  const after = (await trainer.parameters()).get("norm.scale")!;
  assert.ok(after.data.every((v) => v !== 1), `${after.data}`);
  assert.deepEqual([...(await trainer.runningState()).get("norm.shift")!.data], table);
  await trainer.loadParameters(new Map([["norm.scale", before.get("norm.scale")!]]));
  assert.deepEqual([...(await trainer.parameters()).get("norm.scale")!.data], [1, 1, 1, 1, 1]);
});

Deno.test("two layers in one scope have separate parameters; initial values depend on the name and the seed", async () => {
  const noisy = (): Layer => {
    const bias = parameter("bias", [5], { init: normal(0, 1) });
    return layer((x) => add(x, bias(x)));
  };
  const [a, b] = [noisy(), noisy()];
  const model = sequential({ block: layer((x) => b(a(x))), other: scope("inner", noisy()), fc: linear(3) });
  await using trainer = await createTrainer(small({ model }));
  const parameters = await trainer.parameters();
  const names = ["block.bias", "block.bias_1", "other.inner.bias"];
  assert.deepEqual([...parameters.keys()].slice(0, 3), names);
  const values = names.map((name) => parameters.get(name)!.data.join());
  assert.equal(new Set(values).size, 3);
});

Deno.test("wrong uses are refused with the name and the fix", () => {
  refuses(() => parameter("a.b", [1]), /^parameter: expected a name of letters, digits and underscores, got "a\.b"$/);
  refuses(
    () => parameter("w", [0]),
    /^parameter "w": expected a shape such as \[64\], or a function that returns one, g/,
  );
  refuses(() => parameter("w", [2], { init: 1 as never }), /^parameter\.init is 1; expected an initialiser/);
  refuses(() => parameter("w", [2], { inti: ones() } as never), /has no "inti"; did you mean "init"\?/);
  const weight = parameter("w", (x) => [x.shape[1]!]);
  refuses(() => weight(3 as never), /^parameter "w": expected a tensor of the model, got a number; write w\(x\)$/);
  const x = input();
  weight(x);
  const wider = x.graph.leaf("input", "wider", rowMajor([4, 7], "f32"));
  refuses(() => weight(wider), /^model: layer "w": parameter was made with shape \[5\], and cannot be used as \[7\]/);
  refuses(() => buffer("t", [3], { init: [1, 2] })(input()), /layer "t": buffer expects 3 values for \[3\], got 2$/);
  const named = sequential({ weight: layer((x) => x), fc: linear(2) });
  named(input());
  const clash = layer((x) => scope("fc", layer((y) => add(y, parameter("weight", [2])(y))))(linear(2)(x)));
  const y = input();
  y.graph.leaf("parameter", "fc.weight", rowMajor([2], "f32"));
  refuses(() => clash(y), /^model: layer "fc\.weight": another layer has a tensor of this name; wrap one of them/);
});
