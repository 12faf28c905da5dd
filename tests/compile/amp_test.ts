import assert from "node:assert/strict";
import { batchNorm, conv2d, flatten, linear, maxPool2d, mean, mul, relu, sequential, sub } from "../../mod.ts";
import { applyAmp, keptNodes } from "../../runtime/compile/amp.ts";
import type { AmpLevel } from "../../runtime/scenario/amp_levels.ts";
import { addGradients, buildProgram } from "../../runtime/compile/build.ts";
import { compileTraining } from "../../runtime/compile/compile.ts";
import { applyFusion } from "../../runtime/compile/fusion.ts";
import type { Program } from "../../runtime/compile/rewrite.ts";
import { customLossOf } from "../../runtime/nn/losses/custom.ts";
import { computed, optionsOf, programOf } from "./programs.ts";
import { refuses } from "../support/refuses.ts";

const model = sequential({
  conv1: conv2d(4, { kernel: 3 }),
  bn1: batchNorm(),
  relu1: relu(),
  pool: maxPool2d({ kernel: 2 }),
  conv2: conv2d(4, { kernel: 3 }),
  flatten: flatten(),
  fc: linear(3),
});
const SHAPE = [2, 3, 12, 12];

function applied(level: AmpLevel, keepF32: string[] = [], fuse = false): Program {
  const program = programOf(model, SHAPE);
  return applyAmp(fuse ? applyFusion(program) : program, level, keptNodes(program, keepF32));
}

/** Returns the types of each layer's inputs and first output, without casts. */
function types(program: Program): Record<string, string> {
  return Object.fromEntries(
    computed(program).filter(({ op }) => op.type !== "cast").map((node) => [
      node.id,
      `${node.inputs.map(({ dtype }) => dtype).join(" ")} > ${node.outputs[0]!.dtype}`,
    ]),
  );
}

Deno.test("O1 computes products in f16 and the rest in f32", () => {
  assert.deepEqual(types(applied("O1")), {
    conv1: "f16 f16 f16 > f16",
    bn1: "f32 f32 f32 f32 f32 > f32",
    relu1: "f32 > f32",
    pool: "f32 > f32",
    conv2: "f16 f16 f16 > f16",
    flatten: "f32 > f32",
    fc: "f16 f16 f16 > f16",
    loss: "f32 i32 > f32",
  });
});

Deno.test("O2 computes in f16, except for the loss and the parameters and statistics of norms", () => {
  const program = applied("O2");
  assert.deepEqual(types(program), {
    conv1: "f16 f16 f16 > f16",
    bn1: "f16 f32 f32 f32 f32 > f16",
    relu1: "f16 > f16",
    pool: "f16 > f16",
    conv2: "f16 f16 f16 > f16",
    flatten: "f16 > f16",
    fc: "f16 f16 f16 > f16",
    loss: "f32 i32 > f32",
  });
  for (const leaf of program.graph.leaves("parameter")) assert.equal(leaf.dtype, "f32", leaf.node.id);
});

Deno.test("O3 stores parameters and statistics in f16", () => {
  const program = applied("O3");
  assert.deepEqual(types(program), {
    conv1: "f16 f16 f16 > f16",
    bn1: "f16 f16 f16 f16 f16 > f16",
    relu1: "f16 > f16",
    pool: "f16 > f16",
    conv2: "f16 f16 f16 > f16",
    flatten: "f16 > f16",
    fc: "f16 f16 f16 > f16",
    // The loss itself is always f32
    loss: "f16 i32 > f32",
  });
  for (const kind of ["parameter", "state"] as const) {
    for (const leaf of program.graph.leaves(kind)) assert.equal(leaf.dtype, "f16", leaf.node.id);
  }
});

Deno.test("O0 changes nothing; other levels cast each tensor once", () => {
  const program = programOf(model, SHAPE);
  assert.equal(applyAmp(program, "O0", new Set()), program);
  const shared = conv2d(3, { kernel: 1 });
  const twice = applyAmp(
    programOf(sequential({ a: shared, b: shared, flatten: flatten(), fc: linear(3) }), SHAPE),
    "O2",
    new Set(),
  );
  const sources = computed(twice).filter(({ op }) => op.type === "cast").map(({ inputs }) => inputs[0]!.node.id);
  assert.equal(new Set(sources).size, sources.length, sources.join(", "));
});

Deno.test("gradients have the type of their parameter at every level", () => {
  for (const level of ["O0", "O1", "O2", "O3"] as const) {
    for (const [parameter, gradient] of addGradients(applied(level))) {
      assert.equal(gradient.dtype, parameter.dtype, `${level}: ${parameter.node.id}`);
      assert.deepEqual(gradient.type, parameter.type, `${level}: ${parameter.node.id}`);
    }
  }
});

Deno.test("keepF32 takes layers, scopes and op types, also inside fused nodes", () => {
  assert.equal(types(applied("O2", ["conv2"]))["conv2"], "f32 f32 f32 > f32");
  assert.equal(types(applied("O2", ["conv2"]))["conv1"], "f16 f16 f16 > f16");
  const byType = types(applied("O2", ["conv2d"]));
  assert.deepEqual([byType["conv1"], byType["conv2"], byType["fc"]], [
    "f32 f32 f32 > f32",
    "f32 f32 f32 > f32",
    "f16 f16 f16 > f16",
  ]);
  assert.equal(types(applied("O2", ["conv"]))["conv1"], "f16 f16 f16 > f16", "a beginning ends at a dot");
  for (const name of ["relu1", "relu", "bn1"]) {
    assert.equal(types(applied("O2", [name], true))["bn1"], "f32 f32 f32 f32 f32 > f32", name);
  }
  assert.deepEqual([...keptNodes(programOf(sequential({ a: model }), SHAPE), ["a"])].length, 7);
});

Deno.test("an unknown name in keepF32 is rejected with a suggestion", () => {
  const options = optionsOf(model, SHAPE, { amp: { level: "O2", keepF32: ["fc", "conv3"], scaler: null } });
  refuses(
    () => compileTraining(options),
    /amp.keepF32: no layer or op type is called "conv3"; did you mean "conv[12]"\?/,
  );
});

Deno.test("a loss in code is computed in f32 up to O2 and stored in f32, whatever its last op", () => {
  const batch = { input: { shape: [2, 3], dtype: "f32" }, target: { shape: [2], dtype: "i32" } } as const;
  const loss = customLossOf((output) => sub(1, mean(mul(output, output))));
  const program = buildProgram(linear(4), loss, batch, "train");
  for (const [level, product] of [["O1", "f32"], ["O2", "f32"], ["O3", "f16"]] as const) {
    const made = applyAmp(program, level, new Set());
    const products = computed(made).filter(({ op }) => op.type === "mul").map(({ outputs }) => outputs[0]!.dtype);
    assert.deepEqual(products, [product], level);
    assert.equal(made.loss!.dtype, "f32", level);
    assert.equal(applyAmp(applyFusion(program), level, new Set()).loss!.dtype, "f32", `${level}, fused`);
  }
});
