/** Ops of i32 tensors are exact in all 32 bits, and wrap around beyond. */
import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { abs, mul, neg, sign, sub } from "../../ops/arithmetic.ts";
import { clamp, maximum, minimum, where } from "../../ops/choice.ts";
import { equal, greater, less } from "../../ops/comparisons.ts";
import { cumsum } from "../../ops/cumsum.ts";
import { replace, scatterAdd, take } from "../../ops/gather.ts";
import { reduceIntegers } from "../../ops/integer_reduction.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { everyCandidate } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const X = [2 ** 24 + 1, -(2 ** 24) - 3, 2 ** 31 - 1, -(2 ** 31), 7, 0];
const Y = [2 ** 24, 5, -7];

async function compute(build: (x: Tensor, y: Tensor) => Tensor, want: readonly number[]): Promise<void> {
  await everyCandidate(async (options, where) => {
    const graph = new Graph();
    const [x, y] = [graph.leaf("input", "x", rowMajor([2, 3], "i32")), graph.leaf("input", "y", rowMajor([3], "i32"))];
    const [values] = await evaluate([build(x, y)], new Map([["x", X], ["y", Y]]), options);
    assert.deepEqual([...values!], want, `${build}, ${where}`);
  });
}

const each = (of: (a: number, b: number) => number) => X.map((a, i) => of(a, Y[i % 3]!));

Deno.test("elementwise ops of integers are exact, with broadcasting and numbers", async () => {
  await compute(add, each((a, b) => a + b | 0));
  await compute((x) => sub(x, 1), X.map((a) => a - 1 | 0));
  await compute(mul, each(Math.imul));
  await compute(minimum, each(Math.min));
  await compute((x) => maximum(x, -1), X.map((a) => Math.max(a, -1)));
  await compute((x) => clamp(x, { low: 0 }), X.map((a) => Math.max(a, 0)));
  await compute((x) => neg(abs(x)), X.map((a) => -Math.abs(a) | 0).map((a) => a + 0));
  await compute((x) => sign(x), X.map(Math.sign));
  await compute((x, y) => where(less(x, y), x, y), each(Math.min));
  await compute(equal, each((a, b) => a === b ? 1 : 0));
  await compute((x) => greater(x, 2 ** 24), X.map((a) => a > 2 ** 24 ? 1 : 0));
});

Deno.test("reductions and running sums of integers are exact", async () => {
  await compute((x) => reduceIntegers(x, "sum", { axes: 1 }), [X[0]! + X[1]! + X[2]! | 0, X[3]! + 7]);
  await compute((x) => reduceIntegers(x, "max", { axes: 0, keepDims: true }), [X[0]!, 7, X[2]!]);
  await compute((x) => reduceIntegers(x, "min", {}), [X[3]!]);
  await compute((x) => cumsum(x, 1, { exclusive: true, reverse: true }), [X[1]! + X[2]!, X[2]!, 0, 7, 0, 0]);
  const rows = Array.from({ length: 5000 }, (_, i) => i % 2 === 0 ? 2 ** 24 + 1 : -(2 ** 24));
  const x = new Graph().leaf("input", "x", rowMajor([5000], "i32"));
  assert.deepEqual([...(await evaluate([reduceIntegers(x, "sum", {})], new Map([["x", rows]])))[0]!], [2500]);
});

Deno.test("numbers beyond 32 bits are refused beside integers", () => {
  const x = new Graph().leaf("input", "x", rowMajor([2], "i32"));
  refuses(() => add(x, 2 ** 32), /numbers of 32 bits/);
});

Deno.test("negative indices count from the end where they are to, and the last write to a place stays", async () => {
  const graph = new Graph();
  const x = graph.leaf("parameter", "x", rowMajor([4, 2], "f32"), { kind: "constant", value: 0 });
  const source = graph.leaf("parameter", "source", rowMajor([3, 2], "f32"), { kind: "constant", value: 0 });
  const at = graph.leaf("input", "at", rowMajor([3], "i32"));
  const elements = graph.leaf("input", "elements", rowMajor([3, 2], "i32"));
  const wraps = { wraps: true };
  const rows = replace(x, 0, at, source, wraps);
  const gradients = differentiate(rows, rows, [x, source], add);
  const outputs = [
    take(x, at, 0, wraps),
    rows,
    replace(x, 0, elements, source, wraps),
    scatterAdd(x, 0, elements, source, wraps),
    ...gradients.map((gradient) => gradient!),
  ];
  const found = await evaluate(
    outputs,
    new Map([
      ["x", [0, 1, 2, 3, 4, 5, 6, 7]],
      ["source", [10, 11, 12, 13, 14, 15]],
      ["at", [-1, 0, -1]],
      ["elements", [-1, 0, 1, -4, -1, 2]],
    ]),
  );
  assert.deepEqual(found.map((values) => [...values]), [
    [6, 7, 0, 1, 6, 7],
    [12, 13, 2, 3, 4, 5, 14, 15],
    [0, 13, 12, 3, 4, 15, 14, 7],
    [0, 1 + 11 + 13, 2 + 12, 3, 4, 5 + 15, 6 + 10 + 14, 7],
    [0, 0, 2, 3, 4, 5, 0, 0],
    [0, 0, 12, 13, 14, 15],
  ]);
});
