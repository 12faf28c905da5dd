/** NaN and infinities pass through comparisons and extremes as in PyTorch, with every kernel. */
import assert from "node:assert/strict";
import {
  argmax,
  cast,
  clamp,
  elu,
  hardSigmoid,
  logSumExp,
  max,
  maximum,
  maxPool2d,
  min,
  minimum,
  mul,
  notEqual,
  pow,
  relu,
  relu6,
  type Tensor,
  where,
} from "../../mod.ts";
import { addReluOp } from "../../ops/add_relu.ts";
import type { Shape } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { everyCandidate } from "../support/op_case.ts";

const [N, I] = [NaN, Infinity];

/** Rows of four; NaN has either sign, since processors produce the negative one. */
const A = Float32Array.of(1, N, 2, -1, -2, 3, -I, I, -I, -I, -I, -I, 7, 0, -N, N);
new Uint32Array(A.buffer)[14] = 0xffc00000;
const B = Float32Array.of(N, 1, 1, -2, 0, 3, 4, 5, 0, 0, N, 0, 0, 0, 0, 0);

const CASES: Readonly<Record<string, readonly [(a: Tensor, b: Tensor) => Tensor, readonly number[]]>> = {
  max: [(a) => max(a, { axes: -1 }), [N, I, -I, N]],
  min: [(a) => min(a, { axes: -1 }), [N, -I, -I, N]],
  "max of columns": [(a) => max(a, { axes: 0 }), [7, N, N, N]],
  argmax: [(a) => argmax(a, { axes: -1 }), [1, 3, 0, 2]],
  maximum: [maximum, [N, N, 2, -1, 0, 3, 4, I, 0, 0, N, 0, 7, 0, N, N]],
  minimum: [minimum, [N, N, 1, -2, -2, 3, -I, 5, -I, -I, N, -I, 0, 0, N, N]],
  clamp: [(a) => clamp(a, { low: -1, high: 2 }), [1, N, 2, -1, -1, 2, -1, 2, -1, -1, -1, -1, 2, 0, N, N]],
  "clamp from below": [(a) => clamp(a, { low: -1 }), [1, N, 2, -1, -1, 3, -1, I, -1, -1, -1, -1, 7, 0, N, N]],
  "clamp from above": [(a) => clamp(a, { high: 2 }), [1, N, 2, -1, -2, 2, -I, 2, -I, -I, -I, -I, 2, 0, N, N]],
  logSumExp: [(a) => logSumExp(a, { axes: -1 }), [N, I, -I, N]],
  where: [(a, b) => where(a, a, b), [1, N, 2, -1, -2, 3, -I, I, -I, -I, -I, -I, 7, 0, N, N]],
  pow: [pow, [1, N, 2, 1, 1, 27, I, I, 1, 1, N, 1, 1, 1, 1, 1]],
  "pow of the other": [(a, b) => pow(b, a), [N, 1, 1, -0.5, I, 27, 0, I, I, I, N, I, 0, 1, N, N]],
  hardSigmoid: [(a) => hardSigmoid()(mul(a, 3)), [1, N, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0.5, N, N]],
  notEqual: [(a) => notEqual(a, a), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]],
  relu: [(a) => relu()(a), [1, N, 2, 0, 0, 3, 0, I, 0, 0, 0, 0, 7, 0, N, N]],
  relu6: [(a) => relu6()(a), [1, N, 2, 0, 0, 3, 0, 6, 0, 0, 0, 0, 6, 0, N, N]],
  elu: [(a) => elu()(relu()(a)), [1, N, 2, 0, 0, 3, 0, I, 0, 0, 0, 0, 7, 0, N, N]],
  addRelu: [(a, b) => a.graph.apply(addReluOp, {}, [a, b])[0]!, [N, N, 3, 0, 0, 6, 0, I, 0, 0, N, 0, 7, 0, N, N]],
};

for (const [name, [build, want]] of Object.entries(CASES)) {
  Deno.test(`${name} of NaN and infinities`, async () => {
    const graph = new Graph();
    const [a, b] = ["a", "b"].map((leaf) => graph.leaf("input", leaf, rowMajor([4, 4], "f32"))) as [Tensor, Tensor];
    const y = build(a, b);
    await everyCandidate(async (options, where) => {
      const [got] = await evaluate([y], new Map([["a", A], ["b", B]]), options);
      assert.deepEqual(Array.from(got!, (value) => value + 0), want, where);
    });
  });
}

Deno.test("extremes of f16 and of odd rows and columns keep NaN and infinities", async () => {
  const odd: readonly (readonly [shape: Shape, axis: 0 | 1])[] = [[[4, 8], 1], [[3, 19], 1], [[5, 8], 0], [
    [300, 19],
    0,
  ]];
  for (const [shape, axis] of odd) {
    const [rows, columns] = shape as [number, number];
    // Each row or column has other signs, and one or none of the special numbers at a place of its own
    const values = Float32Array.from({ length: rows * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      const [line, place] = axis === 1 ? [row, column] : [column, row];
      if (place === line % shape[axis]!) return [N, -I, I, 0.5, N][line % 5]!;
      return [1, -1, place % 2 === 0 ? 1 : -1][line % 3]! * (1 + place % 7);
    });
    const words = new Uint32Array(values.buffer);
    for (let i = 0; i < words.length; i += 2) if (Number.isNaN(values[i])) words[i] = 0xffc00000;
    const graph = new Graph();
    const x = graph.leaf("input", "x", rowMajor(shape, "f32"));
    for (const dtype of ["f32", "f16"] as const) {
      const outputs = [max(cast(x, dtype), { axes: axis }), min(cast(x, dtype), { axes: axis })];
      const want = [Math.max, Math.min].map((fold) =>
        Array.from({ length: axis === 1 ? rows : columns }, (_, line) => {
          const at = (place: number) => axis === 1 ? line * columns + place : place * columns + line;
          return fold(...Array.from({ length: shape[axis]! }, (_, place) => values[at(place)]!));
        })
      );
      await everyCandidate(async (options, where) => {
        const got = await evaluate(outputs, new Map([["x", values]]), options);
        assert.deepEqual(got.map((y) => Array.from(y)), want, `${dtype} [${shape}] over ${axis}, ${where}`);
      });
    }
  }
});

Deno.test("a window of max pooling with NaN has a maximum of NaN", async () => {
  // Windows of three channels have a kernel of their own on software adapters
  for (const channels of [1, 3, 4]) {
    const graph = new Graph();
    const x = graph.leaf("input", "x", activation([1, channels, 4, 4], "f32"));
    const pooled = maxPool2d({ kernel: 2, stride: 2 })(x);
    const planes = Array.from({ length: channels }, () => [...A]).flat();
    await everyCandidate(async (options, where) => {
      const [got] = await evaluate([pooled], new Map([["x", planes]]), options);
      const want = Array.from({ length: channels }, () => [N, I, 7, N]).flat();
      assert.deepEqual(Array.from(got!), want, where);
    });
  }
});
