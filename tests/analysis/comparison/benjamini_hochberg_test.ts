import { deepStrictEqual } from "node:assert/strict";
import { benjaminiHochberg } from "../../../runtime/analysis/comparison/holm.ts";

Deno.test("the corrected p values are those of the authors' example", () => {
  // Y. Benjamini and Y. Hochberg, JRSS B 57, 1995, section 3.2: at 5 %, the first four of 15 are significant
  const ps = [
    ...[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528],
    ...[0.759, 1],
  ];
  deepStrictEqual(benjaminiHochberg(ps).map((p) => p < 0.05), ps.map((_, i) => i < 4));
  deepStrictEqual(benjaminiHochberg([0.04, 0.01, 0.04]).map((p) => Number(p.toFixed(6))), [0.04, 0.03, 0.04]);
  deepStrictEqual(benjaminiHochberg([]), []);
});
