import { deepStrictEqual } from "node:assert/strict";
import { analyseAttached } from "../../../runtime/analysis/attach/analyse.ts";
import { type AttachRecord, type BufferGroup, RECORDS_VERSION, TOTALS } from "../../../runtime/attach/records.ts";

/** Returns the memory of a program whose first step compiles, with buffers of 8 bytes that are never destroyed. */
function memoryOf(steps: number, group: Pick<BufferGroup, "created" | "destroyed" | "kept">) {
  const device = { device: 0 };
  const place = { time: 0, line: null };
  const records: AttachRecord[] = [
    { kind: "start", version: RECORDS_VERSION, realm: "main", time: 0, timeOrigin: 0 },
    { kind: "device", ...device, time: 0, label: "", adapter: "simulated", timestamps: "none" },
    {
      kind: "pipeline",
      ...device,
      ...place,
      type: "compute",
      async: false,
      callMs: 1,
      readyMs: null,
      kernel: null,
      cuts: 0,
    },
    ...Array.from({ length: steps }, (_, i): AttachRecord => ({
      ...{ kind: "cut", ...device, by: "step", name: null, start: i, end: i + 1, symbol: 7, pending: 0 },
      ...{ totals: TOTALS.map((name) => name === "dispatches" ? 1 : 0), host: [], memory: 0, peak: 0 },
    })),
    {
      ...{ kind: "state", ...device, time: steps, memory: 0, peak: 0, peakTime: 0, largest: [] },
      buffers: [{ label: "x", size: 8, usage: 0, line: null, collected: 0, ...group }],
      ...{ calls: [], renders: [], unslotted: 0, nsPerTick: 1, clockError: null, clockResets: 0 },
    },
  ];
  const { leaks, keptWarmUp } = analyseAttached([records], "step").devices[0]!.memory!;
  return { leaks: leaks.map(({ count, bytes }) => [count, bytes]), keptWarmUp };
}

const twoPerStep = (buffers: number) => Array.from({ length: buffers }, (_, i) => i >> 1);

Deno.test("buffers of the warm-up are apart from leaks of later steps", () => {
  const { leaks, keptWarmUp } = memoryOf(10, { created: 20, destroyed: 0, kept: twoPerStep(20) });
  deepStrictEqual([leaks, keptWarmUp], [[[18, 144]], { count: 2, bytes: 16 }]);
});

Deno.test("a buffer of the last step is no leak where others of its kind are destroyed", () => {
  deepStrictEqual(memoryOf(10, { created: 20, destroyed: 18, kept: [9, 9] }).leaks, []);
  deepStrictEqual(memoryOf(10, { created: 20, destroyed: 18, kept: [8, 8] }).leaks, [[2, 16]]);
});

Deno.test("leaks are counted exactly where their list is cut off", () => {
  const { leaks, keptWarmUp } = memoryOf(2500, { created: 5000, destroyed: 0, kept: twoPerStep(2000) });
  deepStrictEqual([leaks, keptWarmUp], [[[4998, 39_984]], { count: 2, bytes: 16 }]);
});

Deno.test("many buffers from before the second step are no leaks", () => {
  deepStrictEqual(memoryOf(10, { created: 5000, destroyed: 0, kept: new Array<number>(2000).fill(0) }).leaks, []);
});
