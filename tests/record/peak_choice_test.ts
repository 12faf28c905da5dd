import assert from "node:assert/strict";
import { betterPeaks, isQuiet } from "../../runtime/record/peak_choice.ts";
import { peaksOf } from "../support/peaks.ts";

const quiet = { load: 0.02, spread: 0.01 };
const busy = { load: 0.7, spread: 0.3 };
const unknown = { load: null, spread: null };

Deno.test("a measurement is quiet if the load by other processes and the spread are low", () => {
  assert.equal(isQuiet(quiet), true);
  assert.equal(isQuiet({ ...quiet, load: 0.5 }), false);
  assert.equal(isQuiet({ ...quiet, spread: 0.5 }), false);
  assert.equal(isQuiet({ ...quiet, load: null }), true, "the spread alone, where the system does not tell the load");
  assert.equal(isQuiet(unknown), false);
});

Deno.test("a quiet peak wins over a busy one, and the higher of two equally quiet ones", () => {
  const f32 = (known: typeof quiet | typeof unknown, value: number, conditions: typeof quiet | typeof unknown) =>
    betterPeaks(peaksOf(100, 10, null, known), peaksOf(value, 10, null, conditions)).f32.value;
  assert.equal(f32(busy, 300, busy), 300);
  assert.equal(f32(busy, 50, busy), 100);
  assert.equal(f32(busy, 90, quiet), 90);
  assert.equal(f32(unknown, 90, quiet), 90);
  assert.equal(f32(quiet, 300, busy), 100);
  assert.equal(f32(quiet, 120, quiet), 120);
  assert.equal(f32(quiet, 90, quiet), 100);
});

Deno.test("each peak is chosen separately, with its date and conditions", () => {
  const [old, now] = [peaksOf(100, 10, 50, { date: "2026-01-01T00:00:00.000Z" }), peaksOf(90, 20, 60, quiet)];
  assert.deepEqual(betterPeaks(old, now), { clock: "device", f32: old.f32, f16: now.f16, copy: now.copy });
  assert.deepEqual(betterPeaks({ ...old, f16: null }, now).f16, now.f16);
});
