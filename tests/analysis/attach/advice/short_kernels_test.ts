import { ok, strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedStep } from "./planted_steps.ts";

/** A submit with kernels of a length, and a gap before each. */
const kernels = (length: number, gap: number): PlantedStep => ({
  host: [["submit", 0, 10]],
  passes: Array.from({ length: 20 }, (_, i) => {
    const begin = 10 + i * (length + gap) + gap;
    return [begin, begin + length];
  }),
});

Deno.test("kernels shorter than the gaps before them cost the gaps", () => {
  const advice = adviceOf("short-kernels", kernels(1, 3))!;
  ok(Math.abs(advice.mostMs - 60) < 1e-9);
  strictEqual(advice.message, "20 of 20 dispatches per step are shorter than a launch");
  strictEqual(advice.evidence[1]!.value, "k (20 of 1,000 us)");
});

Deno.test("longer kernels, and those that the clock cannot tell from gaps, get no advice", () => {
  strictEqual(adviceOf("short-kernels", kernels(3, 1)), null);
  strictEqual(adviceOf("short-kernels", kernels(1, 3), { resolution: 4e6 }), null);
  strictEqual(adviceOf("short-kernels", kernels(1, 3), { timestamps: "none" }), null);
});
