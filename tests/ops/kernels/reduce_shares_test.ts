import assert from "node:assert/strict";
import { sharesOf } from "../../../ops/kernels/reduce_shares.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";

Deno.test("no invocation of a software adapter reduces more terms than a loop may have iterations", () => {
  const cases = [
    [[2048, 70_001], 1],
    [[1024, 280_000], 1],
    [[100_000_001], 0],
    [[100_000_000], 0],
    [[20_000_000, 5], 0],
    [[20_000_000, 4], 0],
    [[4, 20_000_000, 3], 1],
  ] as const;
  for (const [shape, axis] of cases) {
    const type = rowMajor(shape, "f32");
    const { terms, splits, together } = sharesOf([axis], type, [type], { ...DEFAULT_TRAITS, class: "cpu" });
    const iterations = Math.ceil(Math.ceil(terms / (splits / together)) / together);
    assert.ok(iterations <= 65_535, `${iterations} iterations over [${shape}]`);
  }
});
