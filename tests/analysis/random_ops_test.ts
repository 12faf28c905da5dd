import assert from "node:assert/strict";
import { randomOps } from "../../runtime/analysis/random_ops.ts";
import { profiledResult } from "../report/profile_fixture.ts";

Deno.test("ops that draw are found by themselves and inside of fused kernels; gradients draw nothing new", () => {
  const [op] = profiledResult().variants[0]!.ops;
  const ops = [
    { ...op!, id: "a", type: "relu", kernel: "relu.f32.x4" },
    { ...op!, id: "b", type: "dropout", kernel: "dropout.f32.x4" },
    { ...op!, id: "c", type: "elementwise", kernel: "elementwise.relu+dropout.f32.x4" },
    { ...op!, id: "d", type: "dropout_grad", kernel: "dropout_grad.f32.x4", phase: "backward" as const },
    { ...op!, id: "e", type: "elementwise", kernel: "elementwise.dropout_grad+add.f32.x4" },
  ];
  assert.deepEqual(randomOps(ops).map(({ id }) => id), ["b", "c"]);
});
