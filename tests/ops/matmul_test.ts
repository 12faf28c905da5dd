import assert from "node:assert/strict";
import { matmul } from "../../ops/matmul.ts";
import type { Shape } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { broadcast } from "../support/broadcast_reference.ts";
import { full, sampled } from "../support/full.ts";
import { checkMatmul as check } from "../support/matmul_case.ts";
import { checkOp } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

// Shapes share kernels where possible, since compilation dominates the run time of these tests.
const SIZES = [[16, 16, 16], [20, 12, 300], [7, 13, 9], [1, 10, 1], [65, 33, 130]] as const;
/** Sizes that span several GPU tiles of every size, and sums that are split. */
const TILED = [[132, 136, 20], [131, 69, 37], [20, 24, 410]] as const;
const ORDERS = [[false, false], [true, false], [false, true], [true, true]] as const;

for (const dtype of ["f32", "f16"] as const) {
  for (const [seed, [transposeA, transposeB]] of ORDERS.entries()) {
    // Orders differ in how they read the factors, as in f32
    const options = { choices: full || dtype === "f32" || seed === 0 ? Infinity : 1 };
    const title = `matmul ${dtype}${transposeA ? ", a transposed" : ""}${transposeB ? ", b transposed" : ""}`;
    Deno.test(title, async () => {
      for (const [m, n, k] of sampled([...SIZES, ...TILED], dtype === "f32" ? 4 : 2, { seed })) {
        await check({ batch: [], m, n, k, transposeA, transposeB }, dtype, options);
      }
    });
    Deno.test(`${title}, batches`, async () => {
      const sizes = { m: 9, n: 14, k: 11, transposeA, transposeB };
      const cases = [
        { ...sizes, batch: [2, 3] },
        { ...sizes, batch: [3], shared: "b" },
        { ...sizes, batch: [3], n: 12, m: 16, shared: "b" },
        { ...sizes, batch: [2, 2], shared: "a" },
      ] as const;
      for (const c of sampled(cases, 2, { seed })) await check(c, dtype, options);
    });
  }
}

Deno.test("matmul f32: few columns", async () => {
  for (const n of [1, 4, 5, 8]) {
    await check({ batch: [], m: 9, n, k: 70, transposeA: false, transposeB: false }, "f32");
  }
});

Deno.test("matmul rejects images, integers and shapes that do not match", () => {
  const refused = (a: Shape, b: Shape, message: RegExp, transposeB = false) => {
    const graph = new Graph();
    const [left, right] = [
      graph.leaf("input", "a", rowMajor(a, "f32")),
      graph.leaf("input", "b", rowMajor(b, "f32")),
    ];
    refuses(() => matmul(left, right, { transposeB }), message);
  };
  refused([2, 3], [4, 5], /layer "matmul": .* got 3 and 4 from f32\[2, 3\] and f32\[4, 5\]/);
  refused([2, 3], [3, 5], /got 3 and 5 from f32\[2, 3\] and f32\[3, 5\] transposed/, true);
  refused([2, 2, 3], [3, 3, 5], /matmul cannot broadcast \[2\] and \[3\]/);
  refused([], [3, 5], /matmul expects row-major float matrices/);
  const graph = new Graph();
  const numbers = graph.leaf("input", "i", rowMajor([2, 2], "i32"));
  assert.throws(() => matmul(numbers, numbers), /matmul expects row-major float matrices/);
});

Deno.test("matmul broadcasts batches and multiplies vectors", async () => {
  const cases: readonly (readonly [Shape, Shape, Shape])[] = [
    [[2, 1, 3, 4], [5, 4, 6], [2, 5]],
    [[1, 3, 4], [2, 4, 5], [2]],
    [[2, 3, 4], [1, 1, 4, 5], [1, 2]],
    [[1, 3, 4], [1, 1, 4, 5], [1, 1]],
  ];
  for (const [a, b, batch] of cases) {
    const [m, k, n] = [a.at(-2)!, a.at(-1)!, b.at(-1)!];
    const matrices = batch.reduce((count, size) => count * size, 1);
    const whole = (shape: Shape) => [...batch, ...shape.slice(-2)];
    await checkOp({
      name: `[${a}] by [${b}]`,
      inputs: { a: { shape: a }, b: { shape: b } },
      build: ({ a, b }) => matmul(a, b),
      reference: (values) => {
        const left = broadcast(values.a, a, whole(a));
        const right = broadcast(values.b, b, whole(b));
        return Float64Array.from({ length: matrices * m * n }, (_, i) => {
          const [row, column, at] = [Math.floor(i / n) % m, i % n, Math.floor(i / (m * n))];
          let sum = 0;
          for (let j = 0; j < k; j++) sum += left[(at * m + row) * k + j]! * right[(at * k + j) * n + column]!;
          return sum;
        });
      },
    });
  }
  await checkOp({
    name: "matrix and vector",
    inputs: { a: { shape: [3, 5] }, x: { shape: [5] } },
    build: ({ a, x }) => matmul(a, x),
    reference: ({ a, x }) =>
      Float64Array.from({ length: 3 }, (_, i) => Array.from(x, (v, j) => v * a[i * 5 + j]!).reduce((p, q) => p + q)),
  });
  const graph = new Graph();
  const [x, y] = [graph.leaf("input", "x", rowMajor([4], "f32")), graph.leaf("input", "y", rowMajor([2, 4, 3], "f32"))];
  assert.deepEqual([matmul(x, x).shape, matmul(x, y).shape], [[], [2, 3]]);
});
