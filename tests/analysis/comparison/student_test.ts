import { ok, strictEqual } from "node:assert/strict";
import { studentMean, studentP, studentQuantile } from "../../../runtime/analysis/comparison/student.ts";

function close(value: number, wanted: number, tolerance = 1e-4) {
  ok(Math.abs(value - wanted) <= tolerance * Math.abs(wanted), `${value}, expected ${wanted}`);
}

Deno.test("quantiles and probabilities are those of Student's table", () => {
  // Two-sided 95 % and 99 % (Biometrika Tables for Statisticians 1, table 12)
  const table = [[1, 12.706, 63.657], [2, 4.303, 9.925], [3, 3.182, 5.841], [4, 2.776, 4.604], [7, 2.365, 3.499], [
    30,
    2.042,
    2.75,
  ]];
  for (const [freedom, at95, at99] of table as [number, number, number][]) {
    close(studentQuantile(0.95, freedom), at95, 3e-4);
    close(studentQuantile(0.99, freedom), at99, 3e-4);
    close(studentP(at95, freedom), 0.05, 3e-3);
    strictEqual(studentP(0, freedom), 1);
  }
});

Deno.test("a mean has Student's interval and p", () => {
  const { value, interval, p } = studentMean([1, 2, 3], 0.95);
  strictEqual(value, 2);
  close(interval.high - 2, 4.3027 / Math.sqrt(3));
  close(2 - interval.low, 4.3027 / Math.sqrt(3));
  close(p, 0.0741799);
  strictEqual(studentMean([0, 0], 0.95).p, 1);
  strictEqual(studentMean([1, 1], 0.95).p, 0);
});
