/** Ops that move elements: transposes, slices, padding, joins and broadcasts. */
import assert from "node:assert/strict";
import { cast } from "../../ops/cast.ts";
import { concat, split, stack } from "../../ops/concat.ts";
import { pad, slice, type SliceRange } from "../../ops/slice.ts";
import { expand } from "../../ops/sum.ts";
import { swapAxes, transpose, transposeOp } from "../../ops/transpose.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { broadcast, coordinates, placeOf } from "../support/broadcast_reference.ts";
import { candidatesOf, evaluate } from "../support/evaluate.ts";
import { checkOp, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

/** Returns a tensor whose element at `at` is the source's element at `from(at)`, or `otherwise`. */
function moved(
  values: Values,
  shape: Shape,
  to: Shape,
  from: (at: number[]) => number[],
  otherwise = 0,
): Float64Array {
  return Float64Array.from({ length: sizeOf(to) }, (_, i) => {
    const at = from(coordinates(to, i));
    return at.every((n, d) => Number.isInteger(n) && n >= 0 && n < shape[d]!) ? values[placeOf(shape, at)]! : otherwise;
  });
}

Deno.test("transpose and its gradient permute dimensions", async () => {
  const cases: readonly (readonly [Shape, readonly number[]])[] = [
    [[5, 7], [1, 0]],
    [[2, 3, 5, 8], [0, 2, 1, 3]],
    [[2, 3, 5, 8], [0, 2, 3, 1]],
    [[3, 4, 5], [2, 0, 1]],
  ];
  for (const [shape, axes] of cases) {
    const to = axes.map((axis) => shape[axis]!);
    await checkOp({
      name: `[${shape}] to ${axes}`,
      inputs: { x: { shape } },
      build: ({ x }) => transpose(x, axes),
      reference: ({ x }) => moved(x, shape, to, (at) => shape.map((_, d) => at[axes.indexOf(d)]!)),
      tolerance: { f32: 1e-7 },
    });
  }
});

Deno.test("transpose is a view where only dimensions of size 1 change places", () => {
  const leaf = (shape: Shape) => new Graph().leaf("input", "x", rowMajor(shape, "f32"));
  const isView = (x: ReturnType<typeof leaf>) => x.node.op.isView!(x.node.inputs.map(({ type }) => type), x.node.attrs);
  assert.equal(isView(transpose(leaf([4, 1, 5]), [1, 0, 2])), true);
  assert.equal(isView(transpose(leaf([4, 1, 5]), [2, 1, 0])), false);
  assert.deepEqual(swapAxes(leaf([4, 1, 5])).shape, [4, 5, 1]);
  assert.deepEqual(transpose(leaf([4, 1, 5])).shape, [5, 1, 4]);
  const x = leaf([4, 5]);
  assert.equal(transpose(x, [0, 1]), x);
});

Deno.test("transpose of images is a view where their channels are stored last", () => {
  for (const layout of ["nhwc", "nchw"] as const) {
    const graph = new Graph("train", layout);
    const x = graph.leaf("input", "x", activation([2, 3, 4, 5], "f32", layout));
    const y = transpose(x, [0, 2, 3, 1]);
    assert.deepEqual(y.type, rowMajor([2, 4, 5, 3], "f32"));
    assert.equal(transposeOp.isView!([x.type], y.node.attrs as never), layout === "nhwc");
    const [dx] = transposeOp.gradient!(y.node as never, [y], [true]);
    assert.deepEqual(dx!.type, x.type);
    assert.equal(transposeOp.isView!([y.type], dx!.node.attrs as never), layout === "nhwc");
  }
});

Deno.test("slice and its gradient take parts of dimensions", async () => {
  const cases: readonly (readonly [Shape, (SliceRange | null)[], Shape, (at: number[]) => number[]])[] = [
    [[5, 9], [[1, 4], [2, 9]], [3, 7], ([a, b]) => [a! + 1, b! + 2]],
    [[3, 8, 4], [null, [-4, 8]], [3, 4, 4], ([a, b, c]) => [a!, b! + 4, c!]],
    [[7, 11], [[0, 7, 2], [1, -1, 3]], [4, 3], ([a, b]) => [2 * a!, 1 + 3 * b!]],
    [[2, 3, 4, 5], [null, [1, 2]], [2, 1, 4, 5], ([a, b, c, d]) => [a!, b! + 1, c!, d!]],
  ];
  for (const [shape, ranges, to, from] of cases) {
    await checkOp({
      name: `[${shape}] at ${JSON.stringify(ranges)}`,
      inputs: { x: { shape } },
      build: ({ x }) => slice(x, ranges),
      reference: ({ x }) => moved(x, shape, to, from),
      tolerance: { f32: 1e-6 },
    });
  }
});

Deno.test("pad and its gradient surround a tensor with a value", async () => {
  const cases: readonly (readonly [Shape, (readonly [number, number])[]])[] = [
    [[3, 5], [[1, 0], [2, 3]]],
    [[3, 4], [[0, 2], [4, 8]]],
    [[2, 3, 5, 3], [[0, 0], [0, 1], [1, 1], [0, 0]]],
  ];
  for (const [shape, widths] of cases) {
    const to = shape.map((n, d) => n + widths[d]![0] + widths[d]![1]);
    await checkOp({
      name: `[${shape}] by ${JSON.stringify(widths)}`,
      inputs: { x: { shape } },
      build: ({ x }) => pad(x, widths, -1.5),
      reference: ({ x }) => moved(x, shape, to, (at) => at.map((n, d) => n - widths[d]![0]), -1.5),
      tolerance: { f32: 1e-6 },
    });
  }
});

Deno.test("concat, stack and their gradients join tensors", async () => {
  const cases: readonly (readonly [Shape, Shape, number])[] = [
    [[3, 5], [3, 2], 1],
    [[2, 3, 8], [2, 1, 8], 1],
    [[2, 4, 3, 5], [2, 8, 3, 5], 1],
  ];
  const joined = (a: Values, b: Values, [from, other, axis]: readonly [Shape, Shape, number]) => {
    const to = from.with(axis, from[axis]! + other[axis]!);
    const left = moved(a, from, to, (at) => at, NaN);
    const right = moved(b, other, to, (at) => at.with(axis, at[axis]! - from[axis]!), NaN);
    return left.map((x, i) => Number.isNaN(x) ? right[i]! : x);
  };
  for (const item of cases) {
    await checkOp({
      name: `[${item[0]}] and [${item[1]}]`,
      inputs: { a: { shape: item[0] }, b: { shape: item[1] } },
      build: ({ a, b }) => concat([a, b], item[2]),
      reference: ({ a, b }) => joined(a, b, item),
      tolerance: { f32: 1e-6 },
    });
  }
  await checkOp({
    name: "stack",
    inputs: { a: { shape: [3, 4] }, b: { shape: [3, 4] } },
    build: ({ a, b }) => stack([a, b], 1),
    reference: ({ a, b }) => joined(a, b, [[3, 1, 4], [3, 1, 4], 1]),
    tolerance: { f32: 1e-6 },
  });
  const graph = new Graph();
  const many = Array.from({ length: 9 }, (_, i) => graph.leaf("input", `${i}`, rowMajor([2, 1], "f32")));
  const leaves = new Map(many.map((_, i) => [`${i}`, [i, 10 + i]]));
  const [got] = await evaluate([concat(many, 1)], leaves);
  assert.deepEqual([...got!], [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
});

Deno.test("split and its gradient divide a tensor, also where a part is unused", async () => {
  for (const part of [0, 1]) {
    for (const shape of [[3, 9], [2, 6, 3, 4]]) {
      const size = shape[1]! / 3;
      await checkOp({
        name: `third ${part} of [${shape}]`,
        inputs: { x: { shape } },
        build: ({ x }) => split(x, [size, 2 * size], 1)[part]!,
        reference: ({ x }) =>
          moved(x, shape, shape.with(1, (part + 1) * size), (at) => at.with(1, at[1]! + part * size)),
        tolerance: { f32: 1e-6 },
      });
    }
  }
  await checkOp({
    name: "parts in another order",
    inputs: { x: { shape: [3, 8] } },
    build: ({ x }) => concat(split(x, 2, -1).toReversed(), 1),
    reference: ({ x }) => moved(x, [3, 8], [3, 8], ([a, b]) => [a!, (b! + 4) % 8]),
    tolerance: { f32: 1e-6 },
  });
});

Deno.test("expand and its gradient broadcast a tensor", async () => {
  for (const [from, to] of [[[3, 1], [2, 3, 5]], [[1, 8], [3, 8]]] as const) {
    await checkOp({
      name: `[${from}] to [${to}]`,
      inputs: { x: { shape: from } },
      build: ({ x }) => expand(x, to),
      reference: ({ x }) => broadcast(x, from, to),
    });
  }
});

Deno.test("integers are moved bit for bit and cast towards zero", async () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([2, 3], "i32"));
  const y = graph.leaf("input", "y", rowMajor([2, 3], "f32"));
  const leaves = new Map([["x", [1, -2, 2_000_000_011, 4, 5, 6]], ["y", [1.9, -1.9, 0, 3, 1e6, -0.5]]]);
  const outputs = [
    transpose(x),
    slice(x, [[1, 2]]),
    pad(x, [[0, 0], [1, 0]], -7),
    expand(slice(x, [[0, 1]]), [2, 3]),
    cast(y, "i32"),
    cast(slice(x, [[1, 2]]), "f32"),
    cast(slice(x, [[1, 2]]), "f16"),
  ];
  const got = await evaluate(outputs, leaves);
  assert.deepEqual(got.map((values) => [...values]), [
    [1, 4, -2, 5, 2_000_000_011, 6],
    [4, 5, 6],
    [-7, 1, -2, 2_000_000_011, -7, 4, 5, 6],
    [1, -2, 2_000_000_011, 1, -2, 2_000_000_011],
    [1, -1, 0, 3, 1_000_000, -0].map((n) => n + 0),
    [4, 5, 6],
    [4, 5, 6],
  ]);
});

Deno.test("arguments that do not fit are refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([4, 6], "f32"));
  refuses(() => transpose(x, [0, 0]), /each of the 2 dimensions of \[4, 6\] once, got \[0, 0\]/);
  refuses(() => slice(x, [[3, 3]]), /at least one element, got \[3, 3\] for dimension 0 of \[4, 6\]/);
  refuses(() => slice(x, [null, [0, 6, -1]]), /step/);
  refuses(() => pad(x, [[1, 1]]), /\[before, after\] for each dimension of \[4, 6\]/);
  refuses(() => concat([x, transpose(x)]), /other dimensions are the same, got f32\[4, 6\], f32\[6, 4\]/);
  refuses(() => split(x, 4, 1), /a number of parts that divides 6/);
  refuses(() => split(x, [2, 2], 0 - 1), /sizes that add up to 6, dimension 1 of \[4, 6\], got \[2, 2\]/);
  refuses(() => expand(x, [3, 6]), /expand cannot broadcast/);
});

Deno.test("a tensor of more elements than kernels can index is refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([65535, 65534], "f16"));
  for (const y of [transpose(x), concat([x, slice(x, [[0, 1]])])]) {
    refuses(() => candidatesOf(y, DEFAULT_TRAITS), /at most 2147483647, got 4294/, y.node.op.type);
  }
});
