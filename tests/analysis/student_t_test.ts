import assert from "node:assert/strict";
import { tQuantile } from "../../runtime/analysis/student_t.ts";

function near(actual: number, expected: number, tolerance = 5e-4): void {
  assert(Math.abs(actual - expected) <= tolerance * expected, `${actual} is not near ${expected}`);
}

// Abramowitz and Stegun, table 26.10, and closed forms for one and two degrees of freedom
Deno.test("quantiles of t match published tables", () => {
  near(tQuantile(0.95, 1), Math.tan(0.475 * Math.PI), 1e-9);
  near(tQuantile(0.95, 2), 0.95 * Math.sqrt(2 / (1 - 0.95 ** 2)), 1e-9);
  near(tQuantile(0.95, 5), 2.571);
  near(tQuantile(0.95, 10), 2.228);
  near(tQuantile(0.95, 30), 2.042);
  near(tQuantile(0.99, 4), 4.604);
  near(tQuantile(0.9, 120), 1.658);
  near(tQuantile(0.95, 1e7), 1.95996, 1e-5);
});

Deno.test("quantiles for fractional degrees of freedom lie between those for whole ones", () => {
  const [a, b, c] = [4, 4.5, 5].map((df) => tQuantile(0.95, df));
  assert(a! > b! && b! > c!);
});
