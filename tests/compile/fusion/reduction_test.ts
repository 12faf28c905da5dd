import assert from "node:assert/strict";
import { add, exp, logSumExp, max, mul, sub, sum, type Tensor, tril } from "../../../mod.ts";
import { fuseElementwise } from "../../../runtime/compile/fusion/elementwise.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import type { Shape } from "../../../runtime/core/shape.ts";
import { evaluate } from "../../support/evaluate.ts";
import { assertClose, everyCandidate, normals } from "../../support/op_case.ts";

interface Fused {
  /** Op types of the fused nodes, in order. */
  readonly types: readonly string[];
  readonly plain: readonly Tensor[];
  readonly fused: readonly Tensor[];
}

function fuse(build: (leaf: (name: string, shape: Shape) => Tensor) => readonly Tensor[]): Fused {
  const graph = new Graph();
  const plain = build((name, shape) => graph.leaf("input", name, rowMajor(shape, "f32")));
  const { graph: target, map } = fuseElementwise(graph, graph.nodes, plain, DEFAULT_TRAITS);
  const types = target.nodes.filter(({ op }) => op.type !== "leaf").map(({ op }) => op.type);
  return { types, plain, fused: plain.map(map) };
}

async function checkEqual({ plain, fused }: Fused, leaves: Record<string, number>): Promise<void> {
  const values = new Map(Object.entries(leaves).map(([name, n], i) => [name, normals(n, i + 1)]));
  await everyCandidate(async (options, where) => {
    const [want, got] = [await evaluate(plain, values, options), await evaluate(fused, values, options)];
    want.forEach((expected, i) => assertClose(got[i]!, expected, 1e-5, `${where}, output ${i}`));
  });
}

Deno.test("a reduction computes the chain before it, with broadcasts", async () => {
  for (const shape of [[6, 8], [5, 7], [3, 260]]) {
    const [rows, columns] = shape as [number, number];
    for (const axes of [0, 1]) {
      const fused = fuse((leaf) => {
        const [x, row, column] = [leaf("x", shape), leaf("row", [columns]), leaf("column", [rows, 1])];
        return [sum(exp(sub(mul(x, row), column)), { axes })];
      });
      assert.deepEqual(fused.types, ["reduce_sum"]);
      assert.deepEqual(fused.fused[0]!.node.members?.map(({ id }) => id), ["mul", "sub", "exp", "reduce_sum"]);
      await checkEqual(fused, { x: rows * columns, row: columns, column: rows });
    }
  }
});

Deno.test("reductions with several partial results compute chains too", async () => {
  const fused = fuse((leaf) => [logSumExp(mul(leaf("x", [900]), 2))]);
  assert.deepEqual(fused.types, ["log_sum_exp"]);
  await checkEqual(fused, { x: 900 });
});

Deno.test("a chain that others read, or that depends on places, stays apart from the reduction", async () => {
  const shared = fuse((leaf) => {
    const y = exp(leaf("x", [6, 8]));
    return [sum(y), add(y, 1)];
  });
  assert.deepEqual(shared.types, ["exp", "reduce_sum", "add"]);
  await checkEqual(shared, { x: 48 });
  const result = fuse((leaf) => {
    const y = exp(leaf("x", [6, 8]));
    return [max(y), y];
  });
  assert.deepEqual(result.types, ["exp", "reduce_max"]);
  assert.deepEqual(fuse((leaf) => [sum(tril(leaf("x", [6, 8])))]).types, ["triangle", "reduce_sum"]);
});

Deno.test("chains broadcast their inputs and integers", async () => {
  const fused = fuse((leaf) => [mul(add(leaf("x", [3, 4, 5]), leaf("y", [4, 1])), leaf("z", [3, 1, 1]))]);
  assert.deepEqual(fused.types, ["elementwise"]);
  await checkEqual(fused, { x: 60, y: 4, z: 3 });
});
