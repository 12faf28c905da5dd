import { reducePartials } from "../../../ops/kernels/reduce_partials.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { evaluate } from "../../support/evaluate.ts";
import { kernelOp } from "../../support/kernel_op.ts";
import { assertClose, everyCandidate, normals } from "../../support/op_case.ts";

/** Splits, rows, groups, columns: sums by one invocation each, and sums that 2 to 16 invocations of a GPU share. */
const SHAPES = [
  [1, 3, 1, 5],
  [2, 7, 3, 4],
  [3, 1, 1, 1],
  [5, 9, 2, 6],
  [16, 33, 1, 12],
  [57, 5, 3, 7],
  [128, 13, 1, 36],
  [33, 1, 1, 1001],
  [6, 700, 1, 512],
] as const;

for (const dtype of ["f32", "f16"] as const) {
  Deno.test(`partial sums add up to the result in ${dtype}`, async () => {
    for (const [splits, rows, groups, columns] of SHAPES) {
      for (const biased of groups === 1 ? [false, true] : [false]) {
        const padded = Math.ceil(columns / 4) * 4;
        const count = rows * groups * columns;
        const graph = new Graph();
        const partial = graph.leaf("input", "partial", rowMajor([splits * rows * groups * padded], "f32"));
        const bias = graph.leaf("input", "bias", rowMajor([columns], dtype));
        const op = kernelOp([rowMajor([count], dtype)], (traits) =>
          reducePartials({
            partial: { input: 0 },
            bias: biased ? { ref: { input: 1 }, dtype } : null,
            target: { ref: { output: 0 }, dtype },
            splits,
            rows,
            groups,
            columns,
            traits,
          }));
        const [sum] = graph.apply(op, null, [partial, bias]);
        const values = Float32Array.from(normals(splits * rows * groups * padded, 1));
        const biases = Float16Array.from(normals(columns, 2));
        const want = new Float64Array(count);
        for (let i = 0; i < count; i++) {
          const column = i % columns;
          const line = Math.floor(i / columns);
          if (biased) want[i] = biases[column]!;
          for (let s = 0; s < splits; s++) want[i]! += values[(s * rows * groups + line) * padded + column]!;
        }
        const leaves = new Map<string, ArrayLike<number>>([["partial", values], ["bias", biases]]);
        await everyCandidate(async (options, where) => {
          const [got] = await evaluate([sum!], leaves, options);
          const tolerance = dtype === "f32" ? 1e-6 : 1e-3;
          assertClose(got!, want, tolerance, `${splits} of ${rows} x ${groups} x ${columns}, ${biased}, ${where}`);
        });
      }
    }
  });
}
