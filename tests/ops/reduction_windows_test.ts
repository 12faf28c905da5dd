/** Reductions of tensors of more than one window, which software adapters with subgroups of 8 read as uniforms. */
import assert from "node:assert/strict";
import { argmax, logSumExp, max, min } from "../../ops/extremes.ts";
import { mul } from "../../ops/arithmetic.ts";
import type { ReductionOptions } from "../../ops/reduction.ts";
import { mean, sum } from "../../ops/sum.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { reduced } from "../support/broadcast_reference.ts";
import { candidatesOf } from "../support/evaluate.ts";
import { checkOp, distinct } from "../support/op_case.ts";

const largest = (elements: readonly number[]) => elements.reduce((a, b) => Math.max(a, b));
const total = (elements: readonly number[]) => elements.reduce((a, b) => a + b, 0);

const REDUCTIONS: Readonly<
  Record<string, readonly [(x: Tensor, options?: ReductionOptions) => Tensor, (elements: number[]) => number]>
> = {
  sum: [sum, total],
  mean: [mean, (elements) => total(elements) / elements.length],
  max: [max, largest],
  min: [min, (elements) => elements.reduce((a, b) => Math.min(a, b))],
  argmax: [argmax, (elements) => elements.indexOf(largest(elements))],
  logSumExp: [
    logSumExp,
    (elements) => largest(elements) + Math.log(total(elements.map((x) => Math.exp(x - largest(elements))))),
  ],
};

/** Shapes, the axis, and what is particular about their windows. */
const CASES: readonly (readonly [Shape, number, string])[] = [
  [[100, 512], 1, "rows, the last window with fewer"],
  [[131, 253], 1, "odd rows, which begin within vectors"],
  [[100, 512], 0, "columns, the last window with fewer rows"],
  [[131, 253], 0, "odd columns"],
  [[130, 260], 1, "rows that no eight divide"],
  [[130, 260], 0, "columns that no eight divide"],
  [[2, 128, 264], 1, "columns in blocks"],
  [[3, 131, 253], 1, "odd columns in blocks"],
  [[2, 127, 512], 1, "blocks whose last window has fewer rows"],
  [[67, 16, 40], 1, "small blocks that share windows"],
  [[75, 17, 39], 1, "small blocks of odd columns"],
  [[130, 64, 5], 1, "small blocks of one vector"],
  [[3001, 24], 0, "few columns, whose windows are split"],
  [[2999, 26], 0, "few columns, no multiple of four"],
];

for (const [name, [apply, fold]] of Object.entries(REDUCTIONS)) {
  for (const [shape, axis, what] of CASES) {
    Deno.test(`${name} of [${shape}] over axis ${axis} by windows: ${what}`, async () => {
      // f16 has no more distinct numbers of this size
      const values = distinct(sizeOf(shape), 3).map((x) => (x * 64 % 2048) / 64);
      await checkOp({
        name: `${name} of [${shape}] over ${axis}`,
        inputs: { x: { shape, values } },
        build: ({ x }) => apply(x, { axes: axis }),
        reference: ({ x }) => reduced(x, shape, [axis], fold),
        gradients: false,
        tolerance: name === "argmax" ? { f32: 0, f16: 0 } : { f32: 1e-5, f16: 2e-3 },
        floor: 1,
      });
    });
  }
}

Deno.test("a sum of products by windows", async () => {
  const shape = [150, 136];
  await checkOp({
    name: "sum of products",
    inputs: { a: { shape }, b: { shape } },
    build: ({ a, b }) => sum(mul(a, b), { axes: 0 }),
    reference: ({ a, b }) => reduced(Array.from(a, (x, i) => x * b[i]!), shape, [0], total),
    gradients: false,
    tolerance: { f32: 1e-5, f16: 4e-3 },
    floor: 10,
  });
});

Deno.test("windows of a reduction cover its rows and lie inside its buffers", () => {
  for (const [shape, axis] of [...CASES, [[8191, 511], 1], [[8191, 511], 0], [[16, 512, 512], 1]] as const) {
    for (const dtype of ["f32", "f16"] as FloatType[]) {
      const x = new Graph().leaf("input", "x", rowMajor(shape, dtype));
      const y = sum(x, { axes: axis });
      const [plan] = candidatesOf(y, { ...DEFAULT_TRAITS, class: "cpu", subgroupSize: 8 });
      const bytes = ({ shape }: { readonly shape: Shape }) => sizeOf(shape) * (dtype === "f16" ? 2 : 4);
      const windows = plan!.kernels.filter(({ bindings }) => bindings.some(({ access }) => access === "uniform"));
      const where = `sum of ${dtype}[${shape}] over ${axis}`;
      assert.ok(windows.length > 0, where);
      let read = 0;
      for (const { bindings, slices } of windows) {
        assert.ok(bindings[0]!.window! <= WINDOW_BYTES, where);
        for (const offsets of slices!) {
          read = Math.max(read, offsets[0]! + bindings[0]!.window!);
          bindings.forEach(({ ref, window }, i) => {
            if (window === undefined) return;
            const size = "workspace" in ref ? plan!.workspace[ref.workspace]! : bytes("input" in ref ? x : y);
            assert.ok(
              offsets[i]! + window <= Math.ceil(size / 16) * 16,
              `${where}: ${offsets[i]} + ${window}, ${size}`,
            );
            assert.equal(offsets[i]! % 256, 0, where);
          });
        }
      }
      assert.ok(read >= bytes(x), `${where}: read ${read} of ${bytes(x)} bytes`);
    }
  }
});

Deno.test("reductions of other adapters and of small tensors read no windows", () => {
  const names = (shape: Shape, subgroupSize: number | null, deviceClass: "cpu" | "gpu" = "cpu") => {
    const x = new Graph().leaf("input", "x", rowMajor(shape, "f32"));
    return candidatesOf(sum(x, { axes: 1 }), { ...DEFAULT_TRAITS, class: deviceClass, subgroupSize }).map(({ name }) =>
      name
    );
  };
  assert.match(names([100, 512], 8)[0]!, /\.windows$/);
  for (const name of [...names([100, 512], null), ...names([100, 512], 8, "gpu"), ...names([20, 512], 8)]) {
    assert.doesNotMatch(name, /windows/);
  }
});
