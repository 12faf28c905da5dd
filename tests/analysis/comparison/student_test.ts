import { ok, strictEqual } from "node:assert/strict";
import { studentMean } from "../../../runtime/analysis/comparison/student.ts";

function close(value: number, wanted: number) {
  ok(Math.abs(value - wanted) <= 1e-4 * Math.abs(wanted), `${value}, expected ${wanted}`);
}

Deno.test("a mean has Student's interval and p", () => {
  const { value, interval, p } = studentMean([1, 2, 3], 0.95);
  strictEqual(value, 2);
  close(interval.high - 2, 4.3027 / Math.sqrt(3));
  close(2 - interval.low, 4.3027 / Math.sqrt(3));
  close(p, 0.0741799);
  strictEqual(studentMean([0, 0], 0.95).p, 1);
  strictEqual(studentMean([1, 1], 0.95).p, 0);
});
