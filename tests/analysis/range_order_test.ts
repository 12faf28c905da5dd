import assert from "node:assert/strict";
import { nestRanges } from "../../runtime/analysis/device_ranges.ts";

Deno.test("each range follows the range that contains it", () => {
  const heard = ["load/read", "load", "step/a", "other", "load/decode/deep", "load/decode", "step/b", "step"];
  const ranges = heard.map((path) => ({
    path,
    track: "host" as const,
    phase: null,
    entries: 1,
    calls: 1,
    total: 1,
    mean: 1,
  }));
  assert.deepEqual(nestRanges(ranges).map(({ path }) => path), [
    "load",
    "load/read",
    "load/decode",
    "load/decode/deep",
    "step",
    "step/a",
    "step/b",
    "other",
  ]);
});
