import { deepStrictEqual } from "node:assert/strict";
import { MemoryTracker } from "../../runtime/attach/memory_tracker.ts";

const buffer = (size: number, label = "", cuts = 0) => ({
  ...{ label, size, usage: 128, line: null, mappedAtCreation: false, created: cuts, cuts },
});

Deno.test("the peak lists its largest buffers, not those of the end", () => {
  const memory = new MemoryTracker();
  const large = memory.create(buffer(1000, "large"));
  const small = memory.create(buffer(10, "small", 1));
  memory.destroy(large);
  memory.destroy(large);
  memory.create(buffer(20, "late", 2));
  const { largest, peakTime } = memory.state();
  deepStrictEqual([memory.bytes, memory.peak, peakTime], [30, 1010, 1]);
  deepStrictEqual(largest.map(({ label }) => label), ["large", "small"]);
  memory.destroy(small);
});

Deno.test("a group counts created, destroyed and collected buffers, and lists those that are left", () => {
  const memory = new MemoryTracker();
  const buffers = Array.from({ length: 5 }, (_, i) => memory.create(buffer(8, "group", i)));
  memory.create(buffer(8, "other"));
  memory.destroy(buffers[1]!);
  memory.collect(buffers[3]!);
  memory.collect(buffers[1]!);
  const [group, other] = memory.state().buffers;
  deepStrictEqual([group!.created, group!.destroyed, group!.collected, group!.kept], [5, 1, 1, [0, 2, 3, 4]]);
  deepStrictEqual(other!.created, 1);
  deepStrictEqual(memory.bytes, 4 * 8);
  memory.create(buffer(8, "group", 6));
  deepStrictEqual([memory.peak, memory.keptPeak], [6 * 8, 6 * 8]);
  memory.create(buffer(8, "group", 7));
  deepStrictEqual([memory.peak, memory.keptPeak], [6 * 8, 7 * 8]);
});

Deno.test("the ten largest buffers at the peak are listed", () => {
  const memory = new MemoryTracker();
  for (let i = 1; i <= 30; i++) memory.create(buffer(i));
  deepStrictEqual(memory.state().largest.map(({ size }) => size), [30, 29, 28, 27, 26, 25, 24, 23, 22, 21]);
});
