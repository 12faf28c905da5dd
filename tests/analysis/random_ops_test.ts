import assert from "node:assert/strict";
import { randomOps } from "../../runtime/analysis/random_ops.ts";
import { op } from "../report/profile_fixture.ts";

Deno.test("random ops are found separately and in fused kernels, gradients excluded", () => {
  const ops = [
    op("a", "relu", 1),
    op("b", "dropout", 1),
    op("c", "elementwise", 1, { roles: ["random"] }),
    op("d", "dropout_grad", 1, { phase: "backward" }),
    op("e", "elementwise", 1),
  ];
  assert.deepEqual(randomOps(ops).map(({ id }) => id), ["b", "c"]);
});
