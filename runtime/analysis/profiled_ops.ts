import type { PlannedNode } from "../compile/plan.ts";
import { addDefects, cleanPasses, type DefectCounts, NO_DEFECTS, type PassTimes } from "../record/device_samples.ts";
import type { OpRecord, PhaseSplit, RangeRecord } from "../result/schema.ts";

/** An op as it was run. */
export interface RunOp {
  readonly nodeId: string;
  readonly phase: "forward" | "backward" | "update";
  readonly dispatches: number;
}

/** The ops of one profiled step on the device's clock, in order; null where a time cannot be used. */
export type OpPasses = readonly (PassTimes | null)[];

/** The passes of all profiled steps after sorting out, with what was wrong. */
export function cleanSteps(
  steps: readonly (readonly PassTimes[])[],
): { steps: OpPasses[]; defects: DefectCounts; resolution: number | null } {
  let last = 0n;
  let defects: DefectCounts = NO_DEFECTS;
  let resolution: number | null = null;
  const cleaned = steps.map((raw) => {
    const clean = cleanPasses(raw, last);
    last = clean.last;
    defects = addDefects(defects, clean.defects);
    if (clean.resolution !== null) resolution = Math.min(resolution ?? Infinity, clean.resolution);
    return clean.passes;
  });
  return { steps: cleaned, defects, resolution };
}

/** Milliseconds of an op before its first dispatch counted: making its pipelines, and its first run by itself. */
export interface OpSetup {
  readonly pipeline: number | null;
  readonly firstDispatch: number | null;
}

/** One record for each op: times over the profiled steps, work from the plan. Averages divide by the steps measured. */
export function opRecords(
  ops: readonly RunOp[],
  nodes: readonly PlannedNode[],
  steps: readonly OpPasses[],
  setups: ReadonlyMap<string, OpSetup>,
  toMs: (ticks: bigint) => number,
): OpRecord[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const totals = ops.map((_, i) => timesOf(steps, i, toMs).reduce((sum, time) => sum + time, 0));
  const all = totals.reduce((sum, time) => sum + time, 0);
  return ops.map((op, i): OpRecord => {
    const node = byId.get(op.nodeId);
    if (node === undefined) throw new Error(`${op.nodeId} is not in the plan`);
    const times = timesOf(steps, i, toMs);
    const measured = times.length > 0;
    const tensor = ({ shape, dtype }: { shape: readonly number[]; dtype: string }) => ({ shape: [...shape], dtype });
    return {
      id: op.nodeId,
      name: op.nodeId,
      type: node.type,
      layer: node.layer,
      phase: op.phase,
      kernel: node.kernel,
      members: [...node.members],
      inputs: node.inputs.map(tensor),
      outputs: node.outputs.map(tensor),
      shapes: [...node.inputs, ...node.outputs].map(({ shape }) => [...shape]),
      dtype: (node.outputs[0] ?? node.inputs[0])?.dtype ?? "f32",
      inPlace: node.inPlace,
      calls: times.length,
      total: measured ? totals[i]! : null,
      mean: measured ? totals[i]! / times.length : null,
      min: measured ? Math.min(...times) : null,
      max: measured ? Math.max(...times) : null,
      share: measured && all > 0 ? totals[i]! / all : null,
      flops: node.flops,
      bytes: node.bytes,
      dispatches: op.dispatches,
      setup: setups.get(op.nodeId) ?? { pipeline: null, firstDispatch: null },
    };
  });
}

/** How each phase's interval divides into ops and what lies between them; means over the steps that are complete. */
export function phaseSplits(
  ops: readonly RunOp[],
  steps: readonly OpPasses[],
  toMs: (ticks: bigint) => number,
): PhaseSplit[] {
  const phases = [...new Set(ops.map((op) => op.phase))];
  return phases.flatMap((phase) => {
    const intervals: number[] = [];
    const sums: number[] = [];
    for (const passes of steps) {
      const own = passes.filter((_, i) => ops[i]!.phase === phase);
      if (own.length === 0 || own.includes(null)) continue;
      intervals.push(toMs(own.at(-1)!.end - own[0]!.begin));
      sums.push(own.reduce((sum, pass) => sum + toMs(pass!.end - pass!.begin), 0));
    }
    if (intervals.length === 0) return [];
    const [interval, opTime] = [mean(intervals), mean(sums)];
    return [{ phase, interval, ops: opTime, residual: interval - opTime }];
  });
}

/** Device time of each user's range: the ops that were written in it, and in the ranges inside it. */
export function deviceRanges(records: readonly OpRecord[], nodes: readonly PlannedNode[]): RangeRecord[] {
  const ranges = new Map<string, { calls: number; total: number }>();
  const byId = new Map(nodes.map((node) => [node.id, node.range]));
  for (const { id, calls, total } of records) {
    const range = byId.get(id) ?? null;
    if (range === null || total === null) continue;
    const parts = range.split("/");
    for (let depth = 1; depth <= parts.length; depth++) {
      const path = parts.slice(0, depth).join("/");
      const known = ranges.get(path);
      ranges.set(path, { calls: Math.max(known?.calls ?? 0, calls), total: (known?.total ?? 0) + total });
    }
  }
  return [...ranges].map(([path, { calls, total }]) => ({ path, track: "device", calls, total, mean: total / calls }));
}

function timesOf(steps: readonly OpPasses[], index: number, toMs: (ticks: bigint) => number): number[] {
  return steps.flatMap((passes) => {
    const pass = passes[index];
    return pass == null ? [] : [toMs(pass.end - pass.begin)];
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
