import { deepStrictEqual } from "node:assert/strict";
import { holm } from "../../../runtime/analysis/comparison/holm.ts";

Deno.test("Holm's correction, by hand", () => {
  deepStrictEqual(holm([]), []);
  deepStrictEqual(holm([0.03]), [0.03]);
  deepStrictEqual(holm([0.0625, 0.25, 0.125, 0.03125]), [0.1875, 0.25, 0.25, 0.125]);
  deepStrictEqual(holm([0.5, 0.75]), [1, 1]);
  deepStrictEqual(holm([0.01, 0.01, 0.01]), [0.03, 0.03, 0.03]);
});
