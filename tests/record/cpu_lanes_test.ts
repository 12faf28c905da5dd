import assert from "node:assert/strict";
import { cpuLanes, type CpuSample, type ThreadSample } from "../../runtime/record/cpu_lanes.ts";
import { parseCores, parseSchedule, parseThreadState } from "../../runtime/record/cpu_use.ts";

/** Sample at `time` ms, with the ms that threads have run and waited so far, and the busy ticks of both cores. */
function sample(
  time: number,
  threads: Readonly<Record<string, readonly [running: number, waiting: number, core: number]>>,
  busy: readonly [number, number] = [0, 0],
): CpuSample {
  return {
    time,
    threads: new Map(
      Object.entries(threads).map(([id, [running, waiting, core]]): [string, ThreadSample] => [
        id,
        { running: running * 1e6, waiting: waiting * 1e6, core, onDisk: false },
      ]),
    ),
    cores: new Map(busy.map((ticks, i) => [`cpu${i}`, { busy: ticks, total: time / 10 }])),
  };
}

const NAMES = new Map([["1", "deno 1 (main)"], ["2", "worker 2"], ["3", "idle 3"]]);

Deno.test("adjacent intervals of a thread in one state are one span, and sleep has none", () => {
  const { spans } = cpuLanes([[
    sample(0, { 1: [0, 0, 0], 3: [0, 0, 1] }),
    sample(10, { 1: [9, 0, 0], 3: [0, 0, 1] }),
    sample(20, { 1: [16, 3, 0], 3: [0, 0, 1] }),
    sample(30, { 1: [17, 12, 0], 3: [0, 0, 1] }),
    sample(40, { 1: [17, 12, 0], 3: [0, 0, 1] }),
    sample(50, { 1: [27, 12, 0], 2: [5, 0, 1], 3: [0, 0, 1] }),
  ]], NAMES);
  assert.deepEqual(spans.filter(({ track }) => track.startsWith("thread")), [
    {
      ...{ track: "thread deno 1 (main)", name: "running", start: 0, end: 20 },
      args: { running: "80 %", "waiting for a core": "15 %" },
    },
    {
      ...{ track: "thread deno 1 (main)", name: "waiting for a core", start: 20, end: 30 },
      args: { running: "10 %", "waiting for a core": "90 %" },
    },
    {
      ...{ track: "thread deno 1 (main)", name: "running", start: 40, end: 50 },
      args: { running: "100 %", "waiting for a core": "0 %" },
    },
  ]);
});

Deno.test("a core shows the thread that ran there longest, and its use by all programs", () => {
  const { spans, counters } = cpuLanes([[
    sample(0, { 1: [0, 0, 0], 2: [0, 0, 0] }),
    sample(100, { 1: [60, 0, 0], 2: [30, 0, 0] }, [10, 0]),
    sample(200, { 1: [120, 0, 0], 2: [60, 0, 0] }, [20, 5]),
    sample(300, { 1: [120, 0, 0], 2: [150, 0, 1] }, [20, 15]),
  ]], NAMES);
  assert.deepEqual(spans.filter(({ track }) => track.startsWith("core")), [
    { track: "core 0", name: "deno 1 (main)", start: 0, end: 200, args: { "this process": "90 %" } },
    { track: "core 1", name: "worker 2", start: 200, end: 300, args: { "this process": "90 %" } },
  ]);
  const used = (core: number) =>
    counters.filter(({ counter }) => counter === `core ${core}: all programs`).map(({ time, value }) => [time, value]);
  assert.deepEqual(used(0), [[0, 100], [100, 100], [200, 0]]);
  assert.deepEqual(used(1), [[0, 0], [100, 50], [200, 100]]);
});

Deno.test("nothing is said of the time between two series of samples", () => {
  const busy = [sample(0, { 1: [0, 0, 0] }), sample(10, { 1: [10, 0, 0] })];
  const later = [sample(500, { 1: [500, 0, 0] }), sample(510, { 1: [510, 0, 0] })];
  const { spans } = cpuLanes([busy, later], NAMES);
  assert.deepEqual(
    spans.filter(({ track }) => track.startsWith("thread")).map(({ start, end }) => [start, end]),
    [[0, 10], [500, 510]],
  );
  assert.deepEqual(cpuLanes([], NAMES), { spans: [], counters: [] });
});

Deno.test("files of /proc are parsed, with names of threads that contain spaces and parentheses", () => {
  const stat = "cpu  4 0 2 30 1 0 0 3 0 0\ncpu0 1 0 1 10 1 0 0 2 0 0\ncpu1 3 0 1 20 0 0 0 1 0 0\nintr 5 0 0\nctxt 1\n";
  assert.deepEqual([...parseCores(stat)], [["cpu0", { busy: 4, total: 15 }], ["cpu1", { busy: 5, total: 25 }]]);
  assert.deepEqual(parseSchedule("75132418 140105632 59\n"), { running: 75132418, waiting: 140105632 });
  const fields = Array.from({ length: 49 }, (_, i) => String(i + 4));
  fields[35] = "3"; // the 39th of the file
  assert.deepEqual(parseThreadState(`12 (V8 (a) b) D ${fields.join(" ")}\n`), { core: 3, onDisk: true });
});
