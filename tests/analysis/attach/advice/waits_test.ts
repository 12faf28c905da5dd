import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedStep } from "./planted_steps.ts";

/** Submits, waits while the device runs its kernel, sleeps, and computes something. */
const waiting: PlantedStep = {
  counts: { waits: 60, reads: 59, readBytes: 59 * 16, waitMs: 55, sleepMs: 15 },
  host: [["submit", 0, 5], ["wait", 5, 60], ["sleep", 60, 75]],
  passes: [[5, 40]],
};

Deno.test("waits cost their time and the sleep, as far as the device has no submitted work", () => {
  const advice = adviceOf("waits", waiting)!;
  deepStrictEqual([advice.mostMs, advice.share], [65, 0.65]); // of 70 ms of waits and sleep, 100 - 35 without work
  strictEqual(advice.message, "60 waits and 59 mapped reads per step");
  match(advice.fix, /map it once/);
  deepStrictEqual(advice.evidence[0], { label: "size of a mapped read", value: "16 B" });
});

Deno.test("the sleep after a single wait counts, and its fix is to read less often", () => {
  const counts = { waits: 1, reads: 0, waitMs: 1, sleepMs: 10 };
  const advice = adviceOf("waits", { counts, host: [["wait", 80, 81], ["sleep", 81, 91]], passes: [[0, 80]] })!;
  strictEqual(advice.mostMs, 11);
  match(advice.fix, /^read results only every few steps/);
});

Deno.test("waiting for a busy device costs nothing", () => {
  strictEqual(adviceOf("waits", { ...waiting, host: [["wait", 1, 99]], passes: [[0, 99]] }), null);
  strictEqual(adviceOf("waits", { ...waiting, counts: {} }), null);
});

Deno.test("without timestamps nobody knows whether the device was busy", () => {
  strictEqual(adviceOf("waits", waiting, { timestamps: "none" }), null);
});
