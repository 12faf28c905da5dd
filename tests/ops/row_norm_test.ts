import { layerNorm, rmsNorm } from "../../ops/row_norm.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { sampled } from "../support/full.ts";
import { checkOp, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const EPSILON = 1e-3;

function normalized(x: Values, width: number, centered: boolean): Float64Array {
  const y = new Float64Array(x.length);
  for (let first = 0; first < x.length; first += width) {
    const row = Array.from({ length: width }, (_, i) => x[first + i]!);
    const mean = centered ? row.reduce((a, b) => a + b, 0) / width : 0;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width;
    row.forEach((value, i) => y[first + i] = (value - mean) / Math.sqrt(variance + EPSILON));
  }
  return y;
}

/** Shapes and the number of dimensions that form a row. */
const CASES: readonly (readonly [Shape, number])[] = [[[5, 8], 1], [[2, 3, 7], 1], [[3, 4, 6], 2], [[2, 140], 1], [[
  130,
  88,
], 1]];

for (const [name, centered] of [["layerNorm", true], ["rmsNorm", false]] as const) {
  Deno.test(`${name} and its gradients match the reference`, async () => {
    for (const [shape, dimensions] of centered ? CASES : sampled(CASES, 3)) {
      const row = shape.slice(-dimensions);
      const width = sizeOf(row);
      const options = { epsilon: EPSILON, dimensions };
      const accuracy = { tolerance: { f32: 2e-5, f16: 6e-3 }, floor: 1 } as const;
      await checkOp({
        name: `${name} of [${shape}] with parameters`,
        inputs: { x: { shape }, weight: { shape: row }, bias: { shape: row, gradient: centered } },
        build: ({ x, weight, bias }) => centered ? layerNorm(x, weight, bias, options) : rmsNorm(x, weight, options),
        reference: ({ x, weight, bias }) =>
          normalized(x, width, centered).map((value, i) =>
            value * weight[i % width]! + (centered ? bias[i % width]! : 0)
          ),
        ...accuracy,
      });
    }
    await checkOp({
      name: `${name} without parameters`,
      inputs: { x: { shape: [5, 8] } },
      build: ({ x }) =>
        centered ? layerNorm(x, null, null, { epsilon: EPSILON }) : rmsNorm(x, null, { epsilon: EPSILON }),
      reference: ({ x }) => normalized(x, 8, centered),
      tolerance: { f32: 2e-5, f16: 6e-3 },
    });
  });
}

Deno.test("gradients of parameters over many rows match the reference", async () => {
  const shape = [1024, 128] as const;
  const width = shape[1];
  await checkOp({
    name: `layerNorm of [${shape}]`,
    inputs: { x: { shape, gradient: false }, weight: { shape: [width] }, bias: { shape: [width] } },
    build: ({ x, weight, bias }) => layerNorm(x, weight, bias, { epsilon: EPSILON }),
    reference: ({ x, weight, bias }) =>
      normalized(x, width, true).map((value, i) => value * weight[i % width]! + bias[i % width]!),
    tolerance: { f32: 2e-5, f16: 6e-3 },
    samples: 8,
  });
});

Deno.test("norms refuse parameters of other shapes", () => {
  const graph = new Graph();
  const [x, weight] = [
    graph.leaf("input", "x", rowMajor([5, 8], "f32")),
    graph.leaf("input", "w", rowMajor([5], "f32")),
  ];
  refuses(() => layerNorm(x, weight, null), /last 1 dimensions of \[5, 8\] expects parameters \[8\], got \[5\]/);
  refuses(() => layerNorm(x, null, weight), /a weight beside the bias/);
});
