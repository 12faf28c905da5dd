import assert from "node:assert/strict";
import { linear } from "../../ops/linear.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { full, sampled } from "../support/full.ts";
import { checkProducts, draw, expectedOf } from "../support/products.ts";
import { linear as reference } from "../support/reference/linear.ts";
import { transpose } from "../support/reference/moving.ts";
import { Tape, Value } from "../support/reference/value.ts";
import { refuses } from "../support/refuses.ts";

const CASES = [
  { x: [64, 400], out: 120 },
  { x: [33, 84], out: 10 },
  { x: [2, 3, 17], out: 7 },
  { x: [2, 3, 5, 9], out: 7 },
  { x: [3, 1, 2, 5, 8], out: 12 },
  { x: [1, 1], out: 1 },
  { x: [130, 6], out: 21 },
] as const;

for (const dtype of ["f32", "f16"] as const) {
  for (const [i, { x, out }] of sampled([...CASES.entries()], dtype === "f32" ? CASES.length : 4)) {
    Deno.test(`linear ${dtype}: [${x}] to ${out}`, async () => {
      for (const bias of full ? [true, false] : [i % 2 === 0]) await check(x, out, dtype, bias);
    });
  }
}

Deno.test("linear: a row-major weight is [in, out], as in Hugging Face's Conv1D", async () => {
  await check([2, 3, 17], 7, "f32", true, "row");
  await check([33, 84], 12, "f16", false, "row");
});

Deno.test("linear rejects images, integers and sizes that do not match", () => {
  const graph = new Graph();
  const leaf = (name: string, shape: Shape) => graph.leaf("input", name, rowMajor(shape, "f32"));
  const weight = graph.leaf("parameter", "weight", { shape: [4, 3], dtype: "f32", layout: "io" });
  refuses(
    () => linear(leaf("x", [2, 5]), weight, null),
    /layer "linear.*": Expected 3 features .*weight \[4, 3\].* got 5 from input \[2, 5\]/,
  );
  refuses(() => linear(leaf("x3", [2, 3]), weight, leaf("b", [3])), /Expected a bias \[4\] .* got \[3\]/);
  refuses(
    () => linear(graph.leaf("input", "i", rowMajor([2, 3], "i32")), weight, null),
    /linear expects row-major float features .* got i32\[2, 3\]/,
  );
});

/** Order of a weight: `io` holds `[out, in]`, `row` holds `[in, out]`. */
type WeightLayout = "io" | "row";

function build(shape: Shape, out: number, dtype: FloatType, withBias: boolean, layout: WeightLayout = "io") {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor(shape, dtype));
  const into = shape.at(-1)!;
  const sizes = layout === "io" ? [out, into] : [into, out];
  const weight = graph.leaf("parameter", "weight", { shape: sizes, dtype, layout });
  const bias = withBias ? graph.leaf("parameter", "bias", rowMajor([out], dtype)) : null;
  const y = linear(x, weight, bias);
  const dy = graph.leaf("input", "dy", y.type);
  return { y, dy, leaves: bias === null ? [x, weight] : [x, weight, bias] };
}

async function check(
  shape: Shape,
  out: number,
  dtype: FloatType,
  withBias: boolean,
  layout: WeightLayout = "io",
): Promise<void> {
  const { y, dy, leaves } = build(shape, out, dtype, withBias, layout);
  const gradients = differentiate(y, dy, leaves, () => assert.fail("nothing to accumulate"));
  const into = shape.at(-1)!;
  const rows = sizeOf(shape) / into;
  const values = {
    x: draw(rows * into, dtype, 1),
    weight: draw(out * into, dtype, 2),
    bias: draw(out, dtype, 3),
    dy: draw(rows * out, dtype, 4),
  };
  const expected = expectedOf(values, (v) => {
    const tape = new Tape();
    const x = Value.from(shape, v.x);
    const weight = Value.from(layout === "io" ? [out, into] : [into, out], v.weight);
    const bias = withBias ? Value.from([out], v.bias) : null;
    const y = reference(tape, x, layout === "io" ? weight : transpose(tape, weight, [1, 0]), bias);
    tape.backward(y, v.dy);
    return { y: y.data, dx: x.grad, dw: weight.grad, ...bias === null ? {} : { db: bias.grad } };
  });
  // In f16, matmul_test.ts runs the other candidates, which differ only in how they add the bias
  const choices = full || dtype === "f32" ? Infinity : 1;
  const outputs = [y, ...gradients.map((g) => g!)];
  await checkProducts(`[${shape}]`, outputs, new Map(Object.entries(values)), expected, { choices });
}
