import assert from "node:assert/strict";
import { roundUp } from "../../runtime/core/round_up.ts";
import { formatShape, sameShape, sizeOf } from "../../runtime/core/shape.ts";

Deno.test("shapes have a size, a text and an equality; sizes round up", () => {
  assert.deepEqual([sizeOf([]), sizeOf([2, 3]), sizeOf([2, 0])], [1, 6, 0]);
  assert.equal(formatShape([32, 3]), "[32, 3]");
  assert.ok(sameShape([2, 3], [2, 3]) && !sameShape([2, 3], [3, 2]) && !sameShape([2], [2, 1]));
  assert.deepEqual([0, 1, 16, 17].map((n) => roundUp(n, 16)), [0, 16, 16, 32]);
});
