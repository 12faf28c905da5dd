import { match, strictEqual } from "node:assert/strict";
import { adviceOf, type PlantedStep } from "./planted_steps.ts";

const step: PlantedStep = {
  counts: {
    ...{ uploads: 2, uploadBytes: 8192, uploadMs: 10, reads: 1, readBytes: 4096 },
    ...{ roundTrips: 1, roundTripBytes: 4096, dispatches: 1, timedDispatches: 1 },
  },
  host: [["upload", 0, 10], ["wait", 60, 100]],
  passes: [[10, 60]],
};

Deno.test("a readback that is uploaded again costs its part of the uploads and the wait for it", () => {
  const advice = adviceOf("roundTrips", step)!;
  strictEqual(advice.message, "1 readback per step uploaded again unchanged, 4 KiB through the host");
  match(advice.fix, /copyBufferToBuffer/);
  strictEqual(advice.mostMs, 5 + 40);
});

Deno.test("without round trips there is no advice", () => {
  strictEqual(adviceOf("roundTrips", { ...step, counts: { ...step.counts, roundTrips: 0, roundTripBytes: 0 } }), null);
});
