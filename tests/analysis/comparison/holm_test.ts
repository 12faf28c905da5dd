import { deepStrictEqual } from "node:assert/strict";
import { benjaminiHochberg, holm } from "../../../runtime/analysis/comparison/holm.ts";

Deno.test("Holm's correction, by hand", () => {
  deepStrictEqual(holm([]), []);
  deepStrictEqual(holm([0.03]), [0.03]);
  deepStrictEqual(holm([0.0625, 0.25, 0.125, 0.03125]), [0.1875, 0.25, 0.25, 0.125]);
  deepStrictEqual(holm([0.5, 0.75]), [1, 1]);
  deepStrictEqual(holm([0.01, 0.01, 0.01]), [0.03, 0.03, 0.03]);
});

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
