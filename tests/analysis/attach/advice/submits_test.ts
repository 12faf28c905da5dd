import { strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedStep } from "./planted_steps.ts";

const many: PlantedStep = {
  counts: { submits: 10, encoders: 20, dispatches: 30, submitMs: 20 },
  host: [["submit", 0, 20]],
  passes: [[20, 50]],
};

Deno.test("submits cost the time of all but one", () => {
  const advice = adviceOf("submits", many, { timestamps: "none" })!;
  strictEqual(advice.mostMs, 18);
  strictEqual(advice.message, "10 submits and 20 encoders per step, 3 dispatches per submit");
});

Deno.test("the device's idle time limits what fewer submits save", () => {
  const timed = { ...many, counts: { ...many.counts, dispatches: 1 } };
  strictEqual(adviceOf("submits", timed)?.mostMs, 18);
  strictEqual(adviceOf("submits", { ...timed, passes: [[0, 95]] })?.mostMs, 5);
});

Deno.test("one submit per step is what it takes", () => {
  strictEqual(adviceOf("submits", { ...many, counts: { ...many.counts, submits: 1 } }, { timestamps: "none" }), null);
});
