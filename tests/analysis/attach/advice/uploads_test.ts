import { match, strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedStep } from "./planted_steps.ts";

const small: PlantedStep = {
  counts: { uploads: 1234, uploadBytes: 1234 * 256, uploadMs: 30, dispatches: 1, timedDispatches: 1 },
  host: [["upload", 0, 30]],
  passes: [[30, 80]],
};

Deno.test("many small uploads cost the time in their calls", () => {
  const advice = adviceOf("uploads", small)!;
  strictEqual(advice.mostMs, 30);
  strictEqual(advice.message, "1,234 uploads per step, 1,234 per dispatch, 256 B each");
  match(advice.fix, /^write the small values of a step into one buffer/);
});

Deno.test("large uploads by mapping cost the time in which they keep the device idle", () => {
  const counts = { mappedUploads: 1, mappedUploadBytes: 3 * 2 ** 20 };
  const advice = adviceOf("uploads", { ...small, counts })!;
  strictEqual(advice.mostMs, 30);
  strictEqual(advice.message, "1 upload per step, 1 per dispatch, 3 MiB each");
  match(advice.fix, /^keep data on the device/);
});

Deno.test("uploads while the device is busy, and short ones, cost nothing", () => {
  strictEqual(adviceOf("uploads", { ...small, passes: [[0, 99]] }), null);
  strictEqual(adviceOf("uploads", { ...small, counts: { ...small.counts, uploadMs: 1.9 }, host: [] }), null);
});

Deno.test("without timestamps the time in the calls is the limit", () => {
  strictEqual(adviceOf("uploads", small, { timestamps: "none" })?.mostMs, 30);
});
