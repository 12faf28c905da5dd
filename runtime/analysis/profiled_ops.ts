import { type Plan, runsPerStep } from "../compile/plan.ts";
import type { OpTimes, PhaseTimes } from "../record/op_statistics.ts";
import type { KernelTimes, OpRecord, PhaseSplit } from "../result/schema.ts";
import { residualCause } from "./residual_cause.ts";

/** An op as executed. */
export interface RunOp {
  readonly nodeId: string;
  readonly phase: string;
}

/** A dispatch of a step, timed as a pass. */
export interface RunDispatch {
  /** Index of its op. */
  readonly op: number;
  /** Name of the kernel. */
  readonly kernel: string;
  /** Number of its micro-batch; null in a step of one batch, and in the update. */
  readonly batch: number | null;
}

/** Ops and dispatches of a step, each in the order in which they run. */
export interface RunStep {
  readonly ops: readonly RunOp[];
  readonly dispatches: readonly RunDispatch[];
}

/** Times over the profiled steps in device ticks. */
export interface ProfiledTimes {
  /** In the order of the ops. */
  readonly ops: readonly OpTimes[];
  /** In the order of the dispatches. */
  readonly dispatches: readonly OpTimes[];
  /** Ticks of each dispatch by round, NaN where unusable; omitted without rounds. */
  readonly samples?: readonly (readonly number[])[] | undefined;
}

const UNTIMED: OpTimes = { calls: 0, total: 0, median: 0, min: 0, max: 0 };

/** Set-up time of an op in ms: creating its pipelines, and its first dispatch alone. */
export interface OpSetup {
  readonly pipeline: number | null;
  readonly firstDispatch: number | null;
}

/**
 * Returns a record for each op and its dispatches in a step, over all micro-batches, with times over the profiled steps and
 * work from the plan.
 *
 * @param times times of the ops and dispatches; null without profiled steps
 */
export function opRecords(
  { ops, dispatches }: RunStep,
  plan: Pick<Plan, "nodes" | "accumulate">,
  times: ProfiledTimes | null,
  setups: ReadonlyMap<string, OpSetup>,
  toMs: (ticks: bigint) => number,
): OpRecord[] {
  const byId = new Map(plan.nodes.map((node) => [node.id, node]));
  // Read once, since statistics are computed on each read
  const { ops: opTimes, dispatches: dispatchTimes, samples: allSamples } = times ?? { ops: [], dispatches: [] };
  const all = opTimes.reduce((sum, { calls, median }) => sum + (calls === 0 ? 0 : median), 0);
  const inMs = (ticks: number) => Number.isNaN(ticks) ? null : toMs(BigInt(ticks));
  const kernels = ops.map((): KernelTimes[] => []);
  for (const [i, { op, kernel: name }] of dispatches.entries()) {
    const samples = allSamples?.[i];
    kernels[op]!.push({
      name,
      ...timesInMs(dispatchTimes[i] ?? UNTIMED, toMs),
      ...samples === undefined ? {} : { samples: samples.map(inMs) },
    });
  }
  const dispatched = ops.map(() => 0);
  for (const { op } of dispatches) dispatched[op]!++;
  return ops.map((op, i): OpRecord => {
    const node = byId.get(op.nodeId);
    if (node === undefined) throw new Error(`${op.nodeId} is not in the plan`);
    const own = opTimes[i] ?? UNTIMED;
    const runs = runsPerStep(plan, op.phase);
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
      ...node.recomputed === true && { recomputed: true },
      ...timesInMs(own, toMs),
      share: own.calls > 0 && all > 0 ? own.median / all : null,
      flops: node.flops * runs,
      bytes: node.bytes * runs,
      dispatches: dispatched[i]!,
      kernels: kernels[i]!,
      setup: setups.get(op.nodeId) ?? { pipeline: null, firstDispatch: null },
    };
  });
}

/** Returns times over the profiled steps in ms. */
export function timesInMs(
  { calls, total, median, min, max }: OpTimes,
  toMs: (ticks: bigint) => number,
): Omit<KernelTimes, "name" | "samples"> {
  if (calls === 0) return { calls, total: null, median: null, mean: null, min: null, max: null };
  const ms = (ticks: number) => toMs(BigInt(ticks));
  // A median between two ticks has half a tick
  return { calls, total: ms(total), median: ms(2 * median) / 2, mean: ms(total) / calls, min: ms(min), max: ms(max) };
}

/**
 * Splits the interval of each phase into ops and the gaps between their dispatches; medians over complete steps.
 *
 * @param measured medians of the phases in the measured steps, in ms
 */
export function phaseSplits(
  phases: readonly PhaseTimes[],
  ops: readonly RunOp[],
  toMs: (ticks: bigint) => number,
  measured: ReadonlyMap<string, number> = new Map(),
): PhaseSplit[] {
  const ms = (ticks: number) => toMs(BigInt(ticks));
  // A median between two ticks has half a tick
  const half = (ticks: number) => ms(2 * ticks) / 2;
  return phases.filter(({ steps }) => steps > 0).map(({ phase, steps, median, total, max, gaps, longest }) => {
    const [interval, opTime] = [half(median.interval), half(median.ops)];
    const own = measured.get(phase) ?? null;
    const cause = residualCause({
      interval,
      ops: opTime,
      gaps: { count: gaps, submits: half(median.submitGaps), longest: half(median.longestGap) },
      measured: own,
    });
    return {
      phase,
      interval,
      ops: opTime,
      residual: interval - opTime,
      mean: ms(total) / steps,
      max: ms(max),
      gaps: {
        count: gaps,
        usual: half(median.longestGap),
        longest: longest === null ? null : { ms: ms(longest.ticks), before: ops[longest.before]!.nodeId },
      },
      measured: own,
      cause,
    };
  });
}
