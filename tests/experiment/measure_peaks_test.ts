import assert from "node:assert/strict";
import { highestShare, peaksAbove } from "../../runtime/experiment/measure_peaks.ts";
import type { Peaks } from "../../runtime/record/peaks.ts";
import { op } from "../report/profile_fixture.ts";
import { peaksOf } from "../support/peaks.ts";

const [low, high] = [peaksOf(1e9, 1e9), peaksOf(3e9, 3e9)];
const work = { flops: 1e6, bytes: 1e3 }; // 1 ms at the low peak
const [below, above] = [op("a", "linear", 0.96, work), op("b", "linear", 0.94, work)];

Deno.test("peaks are asked for again if an op is more than 5 % above its roof", async () => {
  const after = async (ops: Parameters<typeof peaksAbove>[0], known: Peaks | null, measured: Peaks | null) =>
    await peaksAbove(ops, known, () => Promise.resolve(measured));
  assert.equal(await after([below], low, high), low);
  assert.deepEqual(await after([below, above], low, high), high);
  assert.deepEqual(await after([above], high, low), high, "the op is below its roof");
  assert.equal(await after([above], low, null), low, "a failed measurement keeps the known peaks");
  assert.equal(await after([above], null, high), null, "no peaks were asked for");
});

Deno.test("the highest share of the roof is that of the op closest to it", () => {
  assert(Math.abs(highestShare([below, above], low) - 1 / 0.94) < 1e-9);
  assert.equal(highestShare([op("c", "relu", null, work)], low), 0, "an op without a time");
});
