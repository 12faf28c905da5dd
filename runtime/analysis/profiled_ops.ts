import type { PlannedNode } from "../compile/plan.ts";
import type { OpTimes, PhaseTimes } from "../record/op_statistics.ts";
import type { OpRecord, PhaseSplit, RangeRecord } from "../result/schema.ts";

/** An op as executed. */
export interface RunOp {
  readonly nodeId: string;
  readonly phase: string;
  readonly dispatches: number;
}

/** Set-up time of an op in ms: creating its pipelines, and its first dispatch alone. */
export interface OpSetup {
  readonly pipeline: number | null;
  readonly firstDispatch: number | null;
}

/**
 * Returns a record for each op, with times over the profiled steps and work from the plan.
 *
 * @param times times of each op, in the order of `ops`; null without profiled steps
 */
export function opRecords(
  ops: readonly RunOp[],
  nodes: readonly PlannedNode[],
  times: readonly OpTimes[] | null,
  setups: ReadonlyMap<string, OpSetup>,
  toMs: (ticks: bigint) => number,
): OpRecord[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const all = (times ?? []).reduce((sum, { calls, median }) => sum + (calls === 0 ? 0 : median), 0);
  return ops.map((op, i): OpRecord => {
    const node = byId.get(op.nodeId);
    if (node === undefined) throw new Error(`${op.nodeId} is not in the plan`);
    const { calls, total, median, min, max } = times?.[i] ?? { calls: 0, total: 0, median: 0, min: 0, max: 0 };
    const ms = (ticks: number) => calls === 0 ? null : toMs(BigInt(ticks));
    const tensor = ({ shape, dtype }: { shape: readonly number[]; dtype: string }) => ({ shape: [...shape], dtype });
    return {
      id: op.nodeId,
      name: op.nodeId,
      type: node.type,
      precision: node.precision,
      roles: [...node.roles],
      aliases: { ...node.aliases },
      layer: node.layer,
      phase: op.phase,
      kernel: node.kernel,
      members: [...node.members],
      inputs: node.inputs.map(tensor),
      outputs: node.outputs.map(tensor),
      shapes: [...node.inputs, ...node.outputs].map(({ shape }) => [...shape]),
      dtype: (node.outputs[0] ?? node.inputs[0])?.dtype ?? "f32",
      inPlace: node.inPlace,
      calls,
      total: ms(total),
      // A median between two ticks has half a tick
      median: calls === 0 ? null : toMs(BigInt(2 * median)) / 2,
      mean: calls === 0 ? null : toMs(BigInt(total)) / calls,
      min: ms(min),
      max: ms(max),
      share: calls > 0 && all > 0 ? median / all : null,
      flops: node.flops,
      bytes: node.bytes,
      dispatches: op.dispatches,
      setup: setups.get(op.nodeId) ?? { pipeline: null, firstDispatch: null },
    };
  });
}

/** Splits the interval of each phase into ops and the gaps between them; means over complete steps. */
export function phaseSplits(phases: readonly PhaseTimes[], toMs: (ticks: bigint) => number): PhaseSplit[] {
  return phases.filter(({ steps }) => steps > 0).map(({ phase, steps, interval, ops }) => {
    const [whole, opTime] = [toMs(BigInt(interval)) / steps, toMs(BigInt(ops)) / steps];
    return { phase, interval: whole, ops: opTime, residual: whole - opTime };
  });
}

/** Returns the device time of each user range: its ops and those of nested ranges. */
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
