import { deepEqual, equal, ok } from "node:assert/strict";
import { stalledGaps } from "../../runtime/analysis/op_stalls.ts";
import { memoryPoints } from "../../runtime/analysis/memory_points.ts";
import { deviceRanges } from "../../runtime/analysis/device_ranges.ts";
import { opRecords, phaseSplits, type RunDispatch, type RunStep } from "../../runtime/analysis/profiled_ops.ts";
import { buildTimeline } from "../../runtime/analysis/timeline.ts";
import type { RangeEntry } from "../../runtime/core/range.ts";
import type { PlannedNode } from "../../runtime/compile/plan.ts";
import type { PassTimes } from "../../runtime/record/device_samples.ts";
import { OpStatistics } from "../../runtime/record/op_statistics.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { recordedFacts } from "../support/op_facts.ts";

const MS = (ms: number) => BigInt(ms) * 1_000_000n;
const toMs = (ticks: bigint) => Number(ticks) / 1e6;

function node(id: string, phase: PlannedNode["phase"], range: RangeEntry | null = null): PlannedNode {
  return {
    id,
    layer: id,
    type: "conv2d",
    ...recordedFacts("conv2d"),
    phase,
    kernel: "k",
    members: [],
    inputs: [rowMajor([2, 3], "f32")],
    outputs: [rowMajor([2, 5], "f16")],
    flops: 60,
    bytes: 44,
    live: { activations: 100, workspace: 7 },
    range,
    inPlace: false,
  };
}

const NET: RangeEntry = { path: "net", outer: null };
const NODES = [
  node("a", "forward", { path: "net/stem", outer: NET }),
  node("b", "forward", NET),
  node("c", "backward"),
];
const OPS = NODES.map(({ id, phase }) => ({ nodeId: id, phase }));
const dispatch = (op: number, kernel: string, batch: number | null = null): RunDispatch => ({ op, kernel, batch });
const RUN: RunStep = { ops: OPS, dispatches: NODES.map(({ id }, op) => dispatch(op, `${id}.k`)) };
const PLAN = { nodes: NODES, accumulate: 1 };

/** Three ops of 2, 3 and 5 ms with 1 ms between them, from `start` ms on. */
function step(start: number) {
  const at = (ms: number) => BigInt(Math.round((start + ms) * 1e6));
  return [{ begin: at(0), end: at(2) }, { begin: at(3), end: at(6) }, { begin: at(7), end: at(12) }];
}

function statisticsOf(...steps: PassTimes[][]): OpStatistics {
  const statistics = new OpStatistics(OPS.map(({ phase }) => phase));
  for (const step of steps) statistics.add(step);
  return statistics;
}

Deno.test("sums, means and shares cover the measured steps", () => {
  const second = step(100).map(({ begin, end }) => ({ begin, end: end + 1_000_000n - 1_000_000n }));
  second[1] = { begin: 0n, end: 0n }; // nothing was written
  const statistics = statisticsOf(step(10), second);
  equal(statistics.defects.missing, 1);
  const records = opRecords(RUN, PLAN, statistics, new Map([["a", { pipeline: 4, firstDispatch: 9 }]]), toMs);
  deepEqual(records.map(({ calls, total, mean }) => [calls, total, mean]), [[2, 4, 2], [1, 3, 3], [2, 10, 5]]);
  ok(Math.abs(records.reduce((sum, { share }) => sum + share!, 0) - 1) < 1e-12);
  deepEqual(records[0]!.setup, { pipeline: 4, firstDispatch: 9 });
  deepEqual(records[1]!.setup, { pipeline: null, firstDispatch: null });
  deepEqual(records[0]!.shapes, [[2, 3], [2, 5]]);
  equal(records[0]!.dtype, "f16");
});

Deno.test("one stalled step does not change shares", () => {
  const stalled = step(200).map(({ begin, end }, i) => ({ begin, end: i === 2 ? end + 176_000_000n : end }));
  const records = opRecords(RUN, PLAN, statisticsOf(step(10), stalled, step(500)), new Map(), toMs);
  deepEqual(records.map(({ median, share }) => [median, share]), [[2, 0.2], [3, 0.3], [5, 0.5]]);
  deepEqual([records[2]!.max, records[2]!.total], [181, 191]);
});

Deno.test("a median between two ticks is half a tick", () => {
  const longer = step(100);
  longer[0] = { begin: longer[0]!.begin, end: longer[0]!.end + 1n };
  const [record] = opRecords(RUN, PLAN, statisticsOf(step(10), longer), new Map(), toMs);
  equal(record!.median, 2.0000005);
});

Deno.test("ops plus residual equal the phase's interval, and incomplete steps are skipped", () => {
  const broken = step(50);
  broken[0] = { begin: 0n, end: 0n };
  const { phases } = statisticsOf(step(10), broken, step(100));
  const unknown = { measured: null, cause: null };
  deepEqual(phaseSplits(phases, OPS, toMs), [
    {
      phase: "forward",
      interval: 6,
      ops: 5,
      residual: 1,
      mean: 6,
      max: 6,
      gaps: { count: 1, usual: 1, longest: { ms: 1, before: "b" } },
      ...unknown,
    },
    {
      phase: "backward",
      interval: 5,
      ops: 5,
      residual: 0,
      mean: 5,
      max: 5,
      gaps: { count: 0, usual: 0, longest: null },
      ...unknown,
    },
  ]);
});

Deno.test("one stalled op and one stalled gap do not change how phases are split", () => {
  const inOp = step(100).map(({ begin, end }, i) => ({ begin, end: i === 2 ? end + 176_000_000n : end }));
  const inGap = step(400).map(({ begin, end }, i) =>
    i === 0 ? { begin, end } : { begin: begin + MS(90), end: end + MS(90) }
  );
  const { phases } = statisticsOf(step(10), step(50), inOp, inGap, step(700));
  const [forward, backward] = phaseSplits(phases, OPS, toMs, new Map([["forward", 5.9]]));
  deepEqual([forward!.interval, forward!.ops, forward!.residual], [6, 5, 1]);
  deepEqual([backward!.interval, backward!.ops, backward!.residual], [5, 5, 0]);
  deepEqual([forward!.mean, forward!.max], [24, 96]);
  deepEqual([backward!.mean, backward!.max], [40.2, 181]);
  deepEqual(stalledGaps([forward!, backward!]), [{ before: "b", worst: 91, usual: 1 }]);
  equal(forward!.cause, "launches", "the stall is not the cause of the usual residual");
});

Deno.test("an op that was never timed is null, not zero", () => {
  const statistics = statisticsOf();
  const [record] = opRecords(RUN, PLAN, statistics, new Map(), toMs);
  deepEqual([record!.calls, record!.total, record!.mean, record!.share], [0, null, null, null]);
  deepEqual(phaseSplits(statistics.phases, OPS, toMs), []);
});

Deno.test("an op of several dispatches is the sum of them, and lists each", () => {
  const several: RunStep = {
    ops: [{ nodeId: "a", phase: "forward" }, { nodeId: "c", phase: "backward" }],
    dispatches: [dispatch(0, "part"), dispatch(0, "reduce"), dispatch(1, "k")],
  };
  const statistics = new OpStatistics(["forward", "forward", "backward"], [0, 0, 1]);
  const halfTimed = step(100);
  halfTimed[1] = { begin: 0n, end: 0n };
  const passes = statistics.add(step(10));
  statistics.add(halfTimed);
  const [split] = opRecords(several, PLAN, statistics, new Map(), toMs);
  deepEqual([split!.calls, split!.total, split!.dispatches], [1, 5, 2]);
  deepEqual(split!.kernels.map(({ name, calls, median }) => [name, calls, median]), [["part", 2, 2], ["reduce", 1, 3]]);
  const host = { spans: [], counters: [], flows: [] };
  const timed = [{ index: 0, passes, submits: [{ firstPass: 1, time: 9 }] }];
  const { spans, flows } = buildTimeline("v", several, NODES, timed, [], host, (ns) => Number(ns) / 1e6);
  const on = (track: string) =>
    spans.filter((span) => span.track === track).map(({ name, start, end }) => [name, start, end]);
  deepEqual(on("device ops"), [["a", 10, 12], ["a", 13, 16], ["c", 17, 22]], "without the gap between the dispatches");
  deepEqual(on("device kernels"), [["part", 10, 12], ["reduce", 13, 16], ["k", 17, 22]]);
  deepEqual(flows.map(({ to }) => to.time), [13]);
});

Deno.test("the device time of a range includes nested ranges, forward and backward apart", () => {
  const plan = { nodes: [...NODES.slice(0, 2), node("c", "backward", NET)], accumulate: 1 };
  const ranges = deviceRanges(opRecords(RUN, plan, statisticsOf(step(10), step(100)), new Map(), toMs), plan);
  const device = { track: "device", entries: 2 } as const;
  deepEqual(ranges, [
    { path: "net", phase: "forward", ...device, calls: 4, total: 10, mean: 5 },
    { path: "net/stem", phase: "forward", ...device, calls: 2, total: 4, mean: 2 },
    { path: "net", phase: "backward", ...device, calls: 2, total: 10, mean: 5 },
  ]);
});

Deno.test("entries of a range are counted, and adjacent ones are two slices", () => {
  const block = () => ({ path: "block", outer: null });
  const [first, second] = [block(), block()];
  const nodes = [node("a", "forward", first), node("b", "forward", second), node("c", "backward", second)];
  const plan = { nodes, accumulate: 1 };
  const statistics = statisticsOf();
  const passes = statistics.add(step(10));
  const [forward, backward] = deviceRanges(opRecords(RUN, plan, statistics, new Map(), toMs), plan);
  deepEqual([forward!.entries, forward!.calls, forward!.total, forward!.mean], [2, 2, 5, 2.5]);
  deepEqual([backward!.entries, backward!.total], [1, 5]);
  const host = { spans: [], counters: [], flows: [] };
  const timed = [{ index: 0, passes, submits: [] }];
  const { spans } = buildTimeline("v", RUN, nodes, timed, [], host, (ns) => Number(ns) / 1e6);
  const slices = spans.filter(({ track }) => track === "device ranges").map((
    { name, start, end },
  ) => [name, start, end]);
  deepEqual(slices, [["block", 10, 12], ["block", 13, 16], ["block", 17, 22]]);
});

Deno.test("the timeline has phases over ops, and an arrow from each submit to its first kernel", () => {
  const passes = statisticsOf().add(step(10));
  const memory = memoryPoints({ nodes: NODES, slotUse: { activations: 500, workspace: 40 } }, {
    peak: 1000,
    parameters: 1,
    gradients: 2,
    optimizer: 3,
    activations: 500,
    workspace: 50,
    feed: 4,
  });
  deepEqual(memory[0], {
    op: "a",
    parameters: 1,
    gradients: 2,
    optimizer: 3,
    activations: 100,
    workspace: 7 + 10, // of 50 planned 40 are slots
    feed: 4,
  });
  const timed = [{ index: 3, passes, submits: [{ firstPass: 0, time: 9.5 }, { firstPass: 2, time: 16.5 }] }];
  const host = { spans: [], counters: [], flows: [] };
  const timeline = buildTimeline("v", RUN, NODES, timed, memory, host, (ns) => Number(ns) / 1e6);
  const on = (track: string) =>
    timeline.spans.filter((span) => span.track === track).map(({ name, start, end }) => [name, start, end]);
  deepEqual(on("device phases"), [["forward", 10, 16], ["backward", 17, 22]]);
  deepEqual(on("device ops"), [["a", 10, 12], ["b", 13, 16], ["c", 17, 22]]);
  deepEqual(on("device kernels"), [["a.k", 10, 12], ["b.k", 13, 16], ["c.k", 17, 22]]);
  deepEqual(on("device ranges"), [["net", 10, 16], ["net/stem", 10, 12]]);
  deepEqual(timeline.flows.map(({ from, to }) => [from.time, to.time]), [[9.5, 10], [16.5, 17]]);
});
