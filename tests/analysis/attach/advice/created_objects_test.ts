import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { adviceOf } from "./planted_steps.ts";

const counts = { buffers: 50, bufferBytes: 50 * 1024, buffersDestroyed: 40, bindGroups: 200, createMs: 8 };

Deno.test("objects that steps create cost the time in the calls", () => {
  const advice = adviceOf("created-objects", { counts, passes: [[50, 80]] })!;
  strictEqual(advice.mostMs, 8);
  strictEqual(advice.message, "50 buffers, 0 textures and 200 bind groups created per step");
  deepStrictEqual(advice.evidence.slice(0, 2).map(({ value }) => value), ["50 KiB", "40"]);
});

Deno.test("steps that create a few objects, or none, get no advice", () => {
  strictEqual(adviceOf("created-objects", { counts: { ...counts, createMs: 1 } }), null);
  strictEqual(adviceOf("created-objects", { counts: { createMs: 8 } }), null);
});
