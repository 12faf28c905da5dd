import { cumsum } from "../../ops/cumsum.ts";
import { tril, triu } from "../../ops/triangle.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { coordinates, placeOf } from "../support/broadcast_reference.ts";
import { checkOp } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("cumsum adds along an axis from either end, with each element or without it", async () => {
  const cases = [
    [[3, 7], 1, false, false],
    [[5, 8], 0, true, false],
    [[2, 3, 5, 4], 1, false, false],
    [[5, 8], 0, false, true],
    [[3, 7], 1, true, true],
  ] as const;
  for (const [shape, axis, reverse, exclusive] of cases) {
    await checkOp({
      name: `[${shape}] along ${axis}`,
      inputs: { x: { shape } },
      build: ({ x }) => cumsum(x, axis, { reverse, exclusive }),
      reference: ({ x }) =>
        Float64Array.from({ length: sizeOf(shape) }, (_, i) => {
          const at = coordinates(shape, i);
          let sum = 0;
          for (let n = 0; n < shape[axis]!; n++) {
            if (exclusive && n === at[axis]!) continue;
            if (reverse ? n >= at[axis]! : n <= at[axis]!) sum += x[placeOf(shape, at.with(axis, n))]!;
          }
          return sum;
        }),
    });
  }
});

Deno.test("triangles keep one side of a diagonal of each matrix", async () => {
  for (const [shape, diagonal, fill] of [[[5, 7], 0, 0], [[2, 3, 5], 1, -2], [[4, 4], -1, 0.5]] as const) {
    for (const [take, lower] of [[tril, true], [triu, false]] as const) {
      await checkOp({
        name: `${lower ? "tril" : "triu"} of [${shape}]`,
        inputs: { x: { shape } },
        build: ({ x }) => take(x, { diagonal, fill }),
        reference: ({ x }) =>
          Float64Array.from(x, (value, i) => {
            const [row, column] = coordinates(shape, i).slice(-2) as [number, number];
            return (lower ? column <= row + diagonal : column >= row + diagonal) ? value : fill;
          }),
      });
    }
  }
  const x = new Graph().leaf("input", "x", rowMajor([4], "f32"));
  refuses(() => tril(x), /matrices/);
});
