import assert from "node:assert/strict";
import { topIndices } from "../../ops/top_k.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { everyCandidate } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

/** Returns the places of the k largest or smallest numbers of each row; NaN is the largest. */
function expected(rows: readonly (readonly number[])[], k: number, largest: boolean): number[] {
  const order = (a: number, b: number) => a === b ? 0 : Number.isNaN(a) || a > b ? 1 : -1;
  return rows.flatMap((row) =>
    [...row.keys()].sort((i, j) => (largest ? order(row[j]!, row[i]!) : order(row[i]!, row[j]!)) || i - j).slice(0, k)
  );
}

const random = new RandomStream(5);
const EXTREME = [NaN, Infinity, -Infinity, 0, -0, 1e-40, -3.4028234663852886e38, 3.4028234663852886e38, 1, 1, -1];

Deno.test("places of the largest and smallest elements are in order, the first of equal ones first", async () => {
  for (const [n, k] of [[1, 1], [2, 2], [11, 11], [100, 33], [1000, 7]] as const) {
    for (const largest of [true, false]) {
      const rows = Array.from(
        { length: 3 },
        (_, row) =>
          Array.from({ length: n }, (_, i) => n === 11 ? EXTREME[(i + row) % 11]! : Math.round(20 * random.normal())),
      );
      await everyCandidate(async (options, where) => {
        const x = new Graph().leaf("input", "x", rowMajor([3, n], "f32"));
        const [places] = await evaluate([topIndices(x, k, { largest })], new Map([["x", rows.flat()]]), options);
        // Denormals may count as 0
        const flushed = rows.map((row) => row.map((value) => Math.abs(value) < 1e-38 ? 0 : value));
        const wanted = [expected(rows, k, largest), expected(flushed, k, largest)].map((list) => list.join());
        assert(wanted.includes([...places!].join()), `${k} of ${n}, ${where}: ${places}`);
      });
    }
  }
});

Deno.test("integers that floats do not tell apart are sorted", async () => {
  const values = [16777217, 16777216, -16777217, 16777218, -16777216, -(2 ** 31)];
  const x = new Graph().leaf("input", "x", rowMajor([6], "i32"));
  const found = await evaluate([topIndices(x, 6), topIndices(x, 2, { largest: false })], new Map([["x", values]]));
  assert.deepEqual(found.map((places) => [...places]), [[3, 0, 1, 4, 2, 5], [5, 2]]);
});

Deno.test("k beyond a row is refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([2, 3], "f32"));
  for (const k of [0, 4, 1.5]) {
    refuses(() => topIndices(x, k), /k from 1 to the length/);
  }
});
