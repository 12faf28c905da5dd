import assert from "node:assert/strict";
import { prelu, swiglu } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { checkLayer } from "../support/layer_case.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("prelu has one slope, or one per channel", async () => {
  for (const numParameters of [1, 3]) {
    const shapes = await checkLayer({
      name: `${numParameters} slopes`,
      layer: prelu({ numParameters }),
      shape: [2, 3, 5],
      reference: ({ x, "prelu.weight": weight }) =>
        Float64Array.from(x!, (v, i) => v > 0 ? v : v * weight![Math.floor(i / 5) % numParameters]!),
    });
    assert.deepEqual(shapes, { "prelu.weight": [numParameters] });
  }
});

Deno.test("swiglu gates the second half by the SiLU of the first", async () => {
  await checkLayer({
    name: "swiglu",
    layer: swiglu(),
    shape: [3, 2, 8],
    reference: ({ x }) =>
      Float64Array.from({ length: 24 }, (_, i) => {
        const [row, column] = [Math.floor(i / 4), i % 4];
        const gate = x![row * 8 + column]!;
        return gate / (1 + Math.exp(-gate)) * x![row * 8 + 4 + column]!;
      }),
  });
});

Deno.test("inputs that do not fit are refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([2, 3], "f32"));
  refuses(() => swiglu()(x), /swiglu expects an input \[n, \.\.\., 2 f\], got \[2, 3\]/);
  refuses(() => prelu({ numParameters: 4 })(x), /prelu expects an input \[n, 4, \.\.\.\]/);
});
