import assert from "node:assert/strict";
import { flatten } from "../../ops/flatten.ts";
import { relu } from "../../ops/relu.ts";
import { reshape } from "../../ops/reshape.ts";
import { InputError } from "../../runtime/core/errors.ts";
import type { Shape } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation } from "../../runtime/graph/types.ts";
import { checkOp } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const isView = ({ node }: Tensor) => node.op.isView?.(node.inputs.map((input) => input.type), node.attrs) ?? false;

Deno.test("flatten and its gradient keep the logical order", async () => {
  for (
    const shape of [[2, 3, 5, 7], [2, 5, 9, 11], [3, 16, 5, 5], [2, 1, 3, 5], [5, 33, 1, 1], [3, 7], [4], [2, 3, 5], [
      1,
      13,
      3,
      1,
    ]]
  ) {
    await checkOp({
      name: `${shape}`,
      inputs: { x: { shape } },
      build: ({ x }) => flatten(x),
      reference: ({ x }) => x,
    });
  }
});

Deno.test("reshape and its gradient keep the logical order", async () => {
  const cases: readonly (readonly [Shape, Shape])[] = [
    [[2, 12], [2, 3, 2, 2]],
    [[2, 3, 4, 5], [2, 6, 2, 5]],
    [[2, 3, 4, 5], [2, 3, 2, 10]],
    [[2, 3, 4, 5], [5, 4, 3, 2]],
    [[2, 3, 4, 5], [-1, 5]],
    [[7], [1, 7, 1, 1]],
    [[6, 1, 5, 5], [3, -1]],
    [[3, 165], [1, 5, 9, 11]],
  ];
  for (const [from, to] of cases) {
    await checkOp({
      name: `${from} to ${to}`,
      inputs: { x: { shape: from } },
      build: ({ x }) => reshape(x, to),
      reference: ({ x }) => x,
    });
  }
});

Deno.test("reshape is a view if the memory order stays the same", () => {
  const of = (shape: Shape) => new Graph().leaf("input", "x", activation(shape, "f32"));
  assert.equal(isView(flatten(of([2, 3, 4, 5]))), false);
  assert.equal(isView(flatten(of([2, 64, 1, 1]))), true);
  assert.equal(isView(flatten(of([2, 1, 4, 5]))), true);
  assert.equal(isView(flatten(of([2, 20]))), true);
  assert.equal(isView(reshape(of([2, 3, 4, 5]), [2, 3, 2, 10])), false);
  assert.equal(isView(reshape(of([2, 12, 5]), [2, 3, 4, 5])), true);
  assert.equal(isView(reshape(of([2, 3, 4, 5]), [2, 6, 2, 5])), false);
  assert.equal(isView(reshape(of([6, 4]), [24])), true);
  assert.equal(isView(relu(of([6, 4]))), false);
});

Deno.test("reshape infers one size and rejects shapes of other sizes", () => {
  const x = new Graph().leaf("input", "x", activation([2, 3, 4], "f32"));
  assert.deepEqual(reshape(x, [4, -1]).shape, [4, 6]);
  assert.deepEqual(flatten(x).shape, [2, 12]);
  const refused = (shape: Shape, message: RegExp) => refuses(() => reshape(x, shape), message);
  refused([5, 5], /cannot make \[5, 5\] \(25 elements\) from \[2, 3, 4\] \(24 elements\)/);
  refused([5, -1], /a multiple of 5/);
  refused([-1, -1], /at most one -1/);
  refused([0, -1], /positive sizes/);
  assert.throws(() => flatten(new Graph().leaf("input", "x", activation([], "f32"))), InputError);
});
