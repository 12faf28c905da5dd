import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { dropout } from "../../ops/dropout.ts";
import { relu } from "../../ops/relu.ts";
import { PCG4D } from "../../ops/kernels/random.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { hashText, pcg4d, RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { toLogical } from "../../runtime/core/layout.ts";
import { defineKernel } from "../../runtime/device/kernel.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { OpDef, Tensor } from "../../runtime/graph/op.ts";
import { activation, type ImageLayout, rowMajor } from "../../runtime/graph/types.ts";
import { fuseElementwise } from "../../runtime/compile/fusion/elementwise.ts";
import { liveNodes } from "../../runtime/compile/lower.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { evaluate } from "../support/evaluate.ts";
import { assertClose, everyCandidate, normals, rounded } from "../support/op_case.ts";

Deno.test("pcg4d on the device equals pcg4d on the host bit for bit", async () => {
  const op: OpDef<null> = {
    type: "pcg4d",
    precision: "fixed",
    shape: ([keys]) => [keys!],
    cost: () => ({ flops: 0, bytes: 0 }),
    candidates: () => [{
      name: "pcg4d",
      workspace: [],
      kernels: [defineKernel({
        name: "pcg4d",
        buffers: { keys: { ref: { input: 0 }, type: "vec4<u32>" }, draws: { ref: { output: 0 }, type: "vec4<u32>" } },
        workgroupSize: [1],
        grid: [64],
        prelude: PCG4D,
        body: "draws[gid.x] = pcg4d(keys[gid.x]);",
      })],
    }],
  };
  const random = new RandomStream(17);
  const keys = Array.from({ length: 256 }, (_, i) => i < 8 ? [0, 0, 0, 0, 1, 2, 3, 0xffffffff][i]! : random.uint32());
  const graph = new Graph();
  const [draws] = graph.apply(op, null, [graph.leaf("input", "keys", rowMajor([256], "u32"))]) as [Tensor];
  const [got] = await evaluate([draws], new Map([["keys", keys]]));
  const want = Array.from(
    { length: 64 },
    (_, i) => pcg4d(keys[4 * i]!, keys[4 * i + 1]!, keys[4 * i + 2]!, keys[4 * i + 3]!),
  );
  assert.deepEqual([...got!], want.flat());
});

function dropped(shape: Shape, p: number, dtype: FloatType = "f32", images: ImageLayout = "nhwc") {
  const graph = new Graph("train", images);
  const x = graph.leaf("input", "x", activation(shape, dtype, images));
  const y = graph.scope("head", () => dropout(x, p));
  const [dx] = differentiate(y, graph.leaf("input", "dy", y.type), [x], add) as [Tensor];
  return { y, dx };
}

/** Returns the factor of each element in logical order, from the host's draws. */
function factors(shape: Shape, p: number, seed: number, step: number): Float64Array {
  const random = new RandomStream(seed, step, hashText("head.dropout"));
  const physical = Float64Array.from({ length: sizeOf(shape) }, () => random.uniform() < p ? 0 : 1 / (1 - p));
  return toLogical(physical, shape, activation(shape, "f32").layout);
}

Deno.test("a copy of a dropout and its gradient draw the original's mask, alone and in a chain", async () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([64], "f32"));
  const y = graph.scope("head", () => dropout(x, 0.5));
  const [again] = graph.replay(y.node, y.node.inputs) as [Tensor];
  assert.notEqual(again.node.id, y.node.id);
  const other = graph.scope("head", () => dropout(x, 0.5));
  const seed = graph.leaf("input", "dy", y.type);
  const [dx] = differentiate(y, seed, [x], add) as [Tensor];
  const [dxAgain] = differentiate(again, seed, [x], add) as [Tensor];
  const roots = [y, again, other, dx, dxAgain];
  const values = new Map(["x", "dy"].map((name) => [name, new Float64Array(64).fill(1)]));
  const check = async (tensors: readonly Tensor[]) => {
    const [first, second, third, gradient, gradientAgain] = (await evaluate(tensors, values)).map((v) => [...v]);
    assert.deepEqual(second, first);
    assert.notDeepEqual(third, first);
    assert.deepEqual(gradient, first);
    assert.deepEqual(gradientAgain, first);
  };
  await check(roots);
  const total = add(again, relu(y));
  const chained = fuseElementwise(graph, liveNodes(graph, [total]), [total], DEFAULT_TRAITS);
  const sum = chained.map(total);
  assert.equal(sum.node.op.type, "elementwise");
  const [twice] = await evaluate([sum], values);
  assert.deepEqual(new Set(twice), new Set([0, 4]));
});

Deno.test("dropout and its gradient use the host's draws", async () => {
  const cases: [Shape, ImageLayout][] = [[[1], "nhwc"], [[7], "nhwc"], [[33, 13], "nhwc"], [[2, 5, 3, 7], "nhwc"]];
  for (const [shape, images] of [...cases, [[2, 5, 3, 7], "nchw"]] as typeof cases) {
    for (const p of [0.1, 0.5, 0.9]) {
      for (const dtype of ["f32", "f16"] as const) {
        const { y, dx } = dropped(shape, p, dtype, images);
        const [x, dy] = [1, 2].map((seed) => rounded(normals(sizeOf(shape), seed), dtype)) as [
          Float64Array,
          Float64Array,
        ];
        const by = factors(shape, p, 5, 3);
        await everyCandidate(async (options, where) => {
          const leaves = new Map([["x", x], ["dy", dy]]);
          const [gotY, gotDx] = await evaluate([y, dx], leaves, { ...options, seed: 5, step: 3 });
          const tolerance = dtype === "f16" ? 1e-3 : 1e-6;
          assertClose(gotY!, x.map((v, i) => v * by[i]!), tolerance, `y of ${shape}, ${p}, ${dtype}, ${where}`);
          assertClose(gotDx!, dy.map((v, i) => v * by[i]!), tolerance, `dx of ${shape}, ${p}, ${dtype}, ${where}`);
        });
      }
    }
  }
});

Deno.test("dropout draws differ between steps and seeds, and repeat for the same step and seed", async () => {
  const { y } = dropped([256], 0.5);
  const leaves = new Map([["x", new Float64Array(256).fill(1)], ["dy", new Float64Array(256)]]);
  const mask = async (seed: number, step: number) => (await evaluate([y], leaves, { seed, step }))[0]!;
  const first = await mask(1, 0);
  assert.deepEqual(await mask(1, 0), first);
  assert.notDeepEqual(await mask(1, 1), first);
  assert.notDeepEqual(await mask(2, 0), first);
});

Deno.test("dropout preserves the mean", async () => {
  const { y } = dropped([100, 1000], 0.3);
  const leaves = new Map([["x", new Float64Array(100000).fill(1)]]);
  const [got] = await evaluate([y], leaves);
  const kept = got!.filter((x) => x !== 0).length / got!.length;
  // Five standard deviations
  assert.ok(Math.abs(kept - 0.7) < 5 * Math.sqrt(0.3 * 0.7 / 1e5), `${kept} kept`);
});

Deno.test("dropout returns its input in inference and for p = 0, and rejects p of 1", () => {
  const trained = new Graph("train").leaf("input", "x", rowMajor([3], "f32"));
  const inferred = new Graph("infer").leaf("input", "x", rowMajor([3], "f32"));
  assert.equal(dropout(inferred, 0.5), inferred);
  assert.equal(dropout(trained, 0), trained);
  for (const p of [1, -0.1, NaN]) assert.throws(() => dropout(trained, p), InputError);
});
