import assert from "node:assert/strict";
import { isCorrect } from "../../ops/is_correct.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { checkOp, everyCandidate, normals, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

/** Returns 1 for rows whose target is the first class with the largest output. */
function reference(outputs: Values, targets: Values): number[] {
  const width = outputs.length / targets.length;
  return Array.from(targets, (target, row) => {
    const values = Array.from(outputs).slice(row * width, (row + 1) * width);
    return values.indexOf(Math.max(...values)) === target ? 1 : 0;
  });
}

Deno.test("is_correct compares the target with the first of the largest outputs", async () => {
  for (const [n, classes] of [[1, 1], [3, 10], [70, 4], [33, 13], [5, 1501]] as const) {
    const random = new RandomStream(3);
    // Few distinct values, so that many rows have ties
    const values = normals(n * classes, 1).map((x) => Math.round(2 * x));
    const best = Array.from({ length: n }, (_, row) => {
      const row_ = [...values.slice(row * classes, (row + 1) * classes)];
      return row_.indexOf(Math.max(...row_));
    });
    const targets = best.map((k) => random.below(2) === 0 ? k : random.below(classes));
    await checkOp({
      name: `${n} rows of ${classes} classes`,
      inputs: {
        outputs: { shape: [n, classes], values },
        targets: { shape: [n], dtype: "i32", values: targets },
      },
      build: ({ outputs, targets }) => isCorrect(outputs, targets)[0],
      reference: ({ outputs, targets }) => reference(outputs, targets),
      gradients: false,
    });
  }
});

Deno.test("is_correct counts a row with a NaN or a class out of range as wrong", async () => {
  const graph = new Graph();
  const outputs = graph.leaf("input", "x", rowMajor([6, 3], "f32"));
  const [correct] = isCorrect(outputs, graph.leaf("input", "target", rowMajor([6], "i32")));
  const values = [[NaN, 1, 2], [0, NaN, 2], [NaN, NaN, NaN], [3, 2, 1], [1, 2, 3], [-Infinity, 0, Infinity]].flat();
  await everyCandidate(async (options, where) => {
    const leaves = new Map([["x", values], ["target", [2, 2, 0, -1, 3, 2]]]);
    const [got] = await evaluate([correct], leaves, options);
    assert.deepEqual([...got!], [0, 0, 0, 0, 0, 1], where);
  });
});

Deno.test("is_correct counts the targets of tokens and pixels, and none that are ignored", async () => {
  for (const [shape, target] of [[[2, 3, 5], [2, 3]], [[2, 5, 3, 4], [2, 3, 4]]] as const) {
    const graph = new Graph();
    const outputs = graph.leaf("input", "x", activation(shape, "f32"));
    const [correct, counted] = isCorrect(outputs, graph.leaf("input", "t", rowMajor(target, "i32")), {
      ignoreIndex: 4,
    });
    const rows = sizeOf(target);
    const values = normals(rows * 5, 2);
    const random = new RandomStream(4);
    const targets = Array.from({ length: rows }, () => random.below(5));
    // Logical order: classes last for tokens, second for images
    const inner = shape.length === 4 ? 12 : 1;
    const at = (row: number, k: number) =>
      values[inner === 1 ? row * 5 + k : (Math.floor(row / inner) * 5 + k) * inner + row % inner]!;
    const best = (row: number) => [0, 1, 2, 3, 4].toSorted((a, b) => at(row, b) - at(row, a))[0];
    await everyCandidate(async (options, where) => {
      const leaves = new Map<string, Values>([["x", values], ["t", targets]]);
      const [right, all] = await evaluate([correct, counted], leaves, options);
      assert.deepEqual([...all!], targets.map((t) => t === 4 ? 0 : 1), where);
      assert.deepEqual([...right!], targets.map((t, row) => t !== 4 && best(row) === t ? 1 : 0), where);
    });
  }
});

Deno.test("is_correct rejects wrong outputs and targets", () => {
  const graph = new Graph();
  const outputs = graph.leaf("input", "x", rowMajor([4, 3], "f32"));
  const few = graph.leaf("input", "few", rowMajor([3], "i32"));
  refuses(
    () => isCorrect(outputs, few),
    /\[n, ..., classes\] and class indices i32\[n, ...\], got f32\[4, 3\] and i32\[3\]/,
  );
});
