import assert from "node:assert/strict";
import { peaksAbove } from "../../runtime/experiment/measure_peaks.ts";
import type { Peaks } from "../../runtime/record/peaks.ts";
import { op } from "../report/profile_fixture.ts";

/** Peaks of 1 GFLOP/s and 1 GB/s, times `factor`. */
function peaksOf(factor: number): Peaks {
  const flops = { value: factor * 1e9, unit: "FLOP/s", kernel: "a" } as const;
  const copy = { value: factor * 1e9, unit: "bytes/s", kernel: "b" } as const;
  return { date: "2026-01-02T03:04:05.000Z", clock: "device", f32: flops, f16: null, copy };
}

Deno.test("peaks are measured again if an op is more than 5 % above its roof", async () => {
  const [low, high] = [peaksOf(1), peaksOf(3)];
  const work = { flops: 1e6, bytes: 1e3 }; // 1 ms at the low peak
  const [below, above] = [op("a", "linear", 0.96, work), op("b", "linear", 0.94, work)];
  const after = async (ops: Parameters<typeof peaksAbove>[0], known: Peaks | null, measured: Peaks | null) =>
    await peaksAbove(ops, known, () => Promise.resolve(measured));
  assert.equal(await after([below], low, high), low);
  assert.equal(await after([below, above], low, high), high);
  assert.equal(await after([above], low, null), low, "a failed measurement keeps the known peaks");
  assert.equal(await after([above], null, high), null, "no peaks were asked for");
});
