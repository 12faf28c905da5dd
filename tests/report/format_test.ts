import assert from "node:assert/strict";
import {
  formatClock,
  formatCount,
  formatDifference,
  formatG,
  formatInterval,
  formatLoss,
  formatMiB,
  formatNumber,
  formatPercent,
  formatProbability,
  formatRatio,
  formatSeconds,
} from "../../runtime/report/format.ts";

/** Checks a formatter on inputs and their texts. */
function check(format: (value: number) => string, cases: readonly (readonly [number, string])[]): void {
  for (const [value, text] of cases) assert.equal(format(value), text, `${value}`);
}

Deno.test("numbers have three significant digits", () => {
  check(formatNumber, [
    [228.57, "229"],
    [22.857, "22.9"],
    [2.2857, "2.29"],
    [9.996, "10.0"],
    [99.96, "100"],
    [12345.6, "12346"],
    [0, "0.00"],
    [NaN, "NaN"],
  ]);
});

Deno.test("small values differ from zero", () => {
  check(formatNumber, [[0.004, "<0.01"], [0.005, "0.01"]]);
  check(formatMiB, [[0, "0"], [1, "<0.01"], [312 * 2 ** 20, "312"]]);
  check(formatDifference, [[0, "0"], [1e-7, "+1e-7"], [-2.9e-6, "-3e-6"], [NaN, "NaN"], [-0.25, "-0.250"], [
    0.01,
    "+0.010",
  ]]);
});

Deno.test("losses, percentages, counts and durations have fixed formats", () => {
  check(formatLoss, [[2.30259, "2.303"], [23.0259, "23.03"], [0.00012, "1.2e-4"], [1234.5, "1.2e+3"], [NaN, "NaN"]]);
  check(formatPercent, [[0.0213, "2.1"], [0.937, "94"], [0.0996, "10"], [1, "100"]]);
  check(formatCount, [[272_474, "272,474"], [10, "10"]]);
  check(formatClock, [[7_400, "0:07"], [754_000, "12:34"], [3_723_000, "1:02:03"]]);
});

Deno.test("ratios, intervals and probabilities are rounded, and extreme values bounded", () => {
  assert.deepEqual([1, 0.9449, 9.996, 12.34, 250].map(formatRatio), ["×1.00", "×0.94", "×10.00", "×12.3", "×250"]);
  assert.equal(formatInterval(1.05, 1.1249), "1.05-1.12");
  assert.equal(formatInterval(1.0021, 1.0104), "1.002-1.010");
  assert.equal(formatInterval(8.5, 12.25), "8.50-12.3");
  assert.equal(formatInterval(120, 160), "120-160");
  assert.equal(formatInterval(1.5, 40_779), "1.50 to >100");
  assert.equal(formatInterval(1e-5, 0.9), "<0.01 to 0.90");
  assert.equal(formatInterval(1e-5, 40_779), "<0.01 to >100");
  assert.deepEqual([0, 0.0004, 0.0078125, 0.0994, 0.25, 1].map(formatProbability), [
    "0.000",
    "<0.001",
    "0.008",
    "0.099",
    "0.25",
    "1.00",
  ]);
  assert.equal(formatSeconds(13_170), "13.2 s");
  assert.equal(formatNumber(2.5e9), "2.50e+9");
});

Deno.test("%g as C prints it", () => {
  const cases: [number, string][] = [
    [0.000612724, "0.000612724"],
    [1.73722e-05, "1.73722e-05"],
    [0.0409127, "0.0409127"],
    [3.4176e-06, "3.4176e-06"],
    [9.95494e-05, "9.95494e-05"],
    [0.1, "0.1"],
    [2, "2"],
    [1234567, "1.23457e+06"],
    [999999.6, "1e+06"],
    [123456.7, "123457"],
    [0, "0"],
    [1.5e-100, "1.5e-100"],
  ];
  for (const [value, text] of cases) assert.equal(formatG(value), text);
});
