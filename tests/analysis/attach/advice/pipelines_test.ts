import { strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedStep } from "./planted_steps.ts";

const compiling = (...pipelines: string[]): PlantedStep => ({
  counts: { compileMs: 8, modules: 1 },
  host: [["compile", 0, 8]],
  passes: [[50, 80]],
  pipelines,
});

Deno.test("a pipeline made in every step costs its compilation, although no step is free of it", () => {
  const advice = adviceOf("pipelines", compiling("same"))!;
  strictEqual(advice.mostMs, 8);
  strictEqual(advice.message, "1 pipeline and 1 shader module created per step");
  strictEqual(advice.evidence[0]!.label, "pipelines created in 6 steps");
  strictEqual(advice.evidence[0]!.value, "same (6)");
});

Deno.test("pipelines made after the warm-up cost their mean over the steps", () => {
  const late = (i: number) => i === 3 ? compiling("late") : { passes: [[50, 80]] } as PlantedStep;
  const advice = adviceOf("pipelines", late, { steps: 5 })!;
  strictEqual(advice.mostMs, 2); // 8 ms in one of four steps
  strictEqual(advice.evidence[0]!.value, "late (1)");
});

Deno.test("asynchronous pipelines cost the time in which the device waits for them", () => {
  const waits = (i: number): PlantedStep =>
    i === 1 ? { passes: [[50, 80]] } : { ...compiling("late"), counts: {}, host: [["compiling", 0, 20]] };
  const advice = adviceOf("pipelines", waits, { steps: 3 })!;
  strictEqual(advice.mostMs, 10);
});

Deno.test("a warm-up that compiles other pipelines in each step gets no advice", () => {
  strictEqual(adviceOf("pipelines", (i) => compiling(`kernel ${i}`)), null);
  strictEqual(adviceOf("pipelines", (i) => i === 0 ? compiling("first") : { passes: [[50, 80]] }), null);
});
