import { ok, strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedProgram, type PlantedStep } from "./planted_steps.ts";

/** Two dispatches of 10 ms: 5 GB/s of bound buffers. */
const step: PlantedStep = { passes: [[10, 20], [30, 40]] };
const slow: PlantedProgram = { does: "map tanh", bytes: 50e6, copyGBs: 100 };

Deno.test("an elementwise kernel far below the copy bandwidth costs the time beyond that of a copy", () => {
  const advice = adviceOf("slow-kernels", step, slow)!;
  ok(Math.abs(advice.mostMs - 19) < 1e-9, `${advice.mostMs}`); // of 20 ms, since 100 MB take 1 ms
  strictEqual(advice.message, "1 elementwise kernel below 25 % of the copy bandwidth");
  strictEqual(advice.evidence[0]!.value, "k (5.00 GB/s, 20.0 ms)");
});

Deno.test("kernels that are fast, small, or limited by something else get no advice", () => {
  const programs: Partial<PlantedProgram>[] = [
    { copyGBs: 20 },
    { bytes: 1000 },
    { does: "multiply-add loop, shared memory" },
    { does: "map exp, shared memory" },
    { does: "map dot" },
    { timestamps: "none" },
  ];
  for (const program of programs) {
    strictEqual(adviceOf("slow-kernels", step, { ...slow, ...program }), null, JSON.stringify(program));
  }
});

Deno.test("an adapter whose bandwidth was not measured gets no advice", () => {
  strictEqual(adviceOf("slow-kernels", step, { does: "map tanh", bytes: 50e6 }), null);
});
