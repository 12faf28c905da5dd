import assert from "node:assert/strict";
import { gather, scatterAdd, take } from "../../ops/gather.ts";
import { oneHot } from "../../ops/one_hot.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { coordinates, placeOf } from "../support/broadcast_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { checkOp, everyCandidate, normals, rounded, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

function indicesOf(shape: Shape, below: number): Float64Array {
  const random = new RandomStream(11);
  return Float64Array.from({ length: sizeOf(shape) }, () => random.below(below));
}

Deno.test("take reads rows by index, and its gradient adds to them", async () => {
  const cases: readonly (readonly [Shape, Shape, number])[] = [
    [[7, 8], [3, 5], 0],
    [[5, 48], [9], 0],
    [[6, 5], [9], 0],
    [[3, 4, 6], [5], 1],
    [[2, 9], [4], 1],
  ];
  for (const [shape, places, axis] of cases) {
    const to = shape.toSpliced(axis, 1, ...places);
    await checkOp({
      name: `[${shape}] at [${places}] along ${axis}`,
      inputs: { x: { shape }, at: { shape: places, values: indicesOf(places, shape[axis]!), dtype: "i32" } },
      build: ({ x, at }) => take(x, at, axis),
      reference: ({ x, at }) =>
        Float64Array.from({ length: sizeOf(to) }, (_, i) => {
          const place = coordinates(to, i);
          const index = at[placeOf(places, place.slice(axis, axis + places.length))]!;
          return x[placeOf(shape, place.toSpliced(axis, places.length, index))]!;
        }),
    });
  }
});

Deno.test("gather reads elements by index along an axis, and its gradient adds to them", async () => {
  const cases: readonly (readonly [Shape, Shape, number])[] = [
    [[4, 7], [4, 5], 1],
    [[5, 6], [3, 6], 0],
    [[3, 4, 5], [2, 9, 5], 1],
  ];
  for (const [shape, to, axis] of cases) {
    await checkOp({
      name: `[${shape}] at [${to}] along ${axis}`,
      inputs: { x: { shape }, at: { shape: to, values: indicesOf(to, shape[axis]!), dtype: "i32" } },
      build: ({ x, at }) => gather(x, axis, at),
      reference: ({ x, at }) =>
        Float64Array.from({ length: sizeOf(to) }, (_, i) => x[placeOf(shape, coordinates(to, i).with(axis, at[i]!))]!),
    });
  }
});

function scattered(x: Values, at: Values, source: Values, shape: Shape, from: Shape, axis: number): Float64Array {
  const y = Float64Array.from(x);
  for (let i = 0; i < source.length; i++) y[placeOf(shape, coordinates(from, i).with(axis, at[i]!))]! += source[i]!;
  return y;
}

Deno.test("scatterAdd adds elements to places, and its gradients match the reference", async () => {
  for (const [shape, from, axis] of [[[4, 3], [4, 9], 1], [[5, 4], [7, 4], 0]] as const) {
    await checkOp({
      name: `[${from}] to [${shape}] along ${axis}`,
      inputs: {
        x: { shape },
        source: { shape: from },
        at: { shape: from, values: indicesOf(from, shape[axis]!), dtype: "i32" },
      },
      build: ({ x, at, source }) => scatterAdd(x, axis, at, source),
      reference: ({ x, at, source }) => scattered(x, at, source, shape, from, axis),
    });
  }
});

Deno.test("sums by index have the same bits in every run, in the order of the source", async () => {
  const [rows, places] = [1500, 3];
  const graph = new Graph();
  const table = graph.leaf("input", "table", rowMajor([places, 4], "f32"));
  const at = graph.leaf("input", "at", rowMajor([rows], "i32"));
  const dy = graph.leaf("input", "dy", rowMajor([rows, 4], "f32"));
  const y = take(table, at);
  const [dx] = y.node.op.gradient!(y.node, [dy], [true, false]);
  const values = rounded(normals(4 * rows, 6), "f32");
  const indices = indicesOf([rows], places);
  const want = new Float32Array(4 * places);
  // f32 additions in the order of the rows
  values.forEach((value, i) => want[indices[i >> 2]! * 4 + i % 4]! += value);
  const leaves = new Map<string, Values>([["table", normals(12, 1)], ["at", indices], ["dy", values]]);
  await everyCandidate(async (options, where) => {
    for (let run = 0; run < 2; run++) {
      const [got] = await evaluate([dx!], leaves, options);
      assert.deepEqual([...got!], [...want], where);
    }
  });
});

Deno.test("an index out of range takes the nearest row, and has no place in oneHot", async () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([3, 4], "f32"));
  const at = graph.leaf("input", "at", rowMajor([3], "i32"));
  const leaves = new Map([["x", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]], ["at", [-5, 1, 99]]]);
  const [rows, hot] = await evaluate([take(x, at), oneHot(at, 3)], leaves);
  assert.deepEqual([...rows!], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual([...hot!], [0, 0, 0, 0, 1, 0, 0, 0, 0]);
});

Deno.test("oneHot has a 1 at each index, in either float type", async () => {
  for (const dtype of ["f32", "f16"] as const) {
    await checkOp({
      name: dtype,
      inputs: { at: { shape: [3, 2], values: [0, 4, 2, 1, 4, 3], dtype: "i32" } },
      build: ({ at }) => oneHot(at, 5, dtype),
      reference: ({ at }) => Float64Array.from({ length: 30 }, (_, i) => Number(at[Math.floor(i / 5)] === i % 5)),
      dtypes: [dtype],
    });
  }
});

Deno.test("indices that do not fit are refused", () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([4, 6], "f32"));
  const at = graph.leaf("input", "at", rowMajor([5, 2], "i32"));
  refuses(() => take(x, x), /gather expects i32 indices, got f32\[4, 6\]; use cast/);
  refuses(() => gather(x, 1, at), /no larger except in dimension 1, got \[5, 2\]/);
  refuses(() => scatterAdd(x, 0, at, at), /may differ from \[4, 6\] in dimension 0, got \[5, 2\]/);
  refuses(() => oneHot(x, 3), /oneHot expects i32 indices/);
  refuses(() => oneHot(at, 0), /at least 1, got 0/);
});
