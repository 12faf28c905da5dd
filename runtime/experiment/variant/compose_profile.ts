import { memoryPoints } from "../../analysis/memory_points.ts";
import { deviceRanges, nestRanges } from "../../analysis/device_ranges.ts";
import { opRecords, type OpSetup, phaseSplits, timesInMs } from "../../analysis/profiled_ops.ts";
import { buildTimeline } from "../../analysis/timeline.ts";
import { DECAY_PHASE } from "../../compile/decay.ts";
import type { Plan } from "../../compile/plan.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import type { Executor } from "../../engine/executor.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { CpuLanes } from "../../record/cpu_lanes.ts";
import { addDefects, type DefectCounts, NO_DEFECTS } from "../../record/device_samples.ts";
import { relativeToBatch } from "../../record/extra_time.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Timeline } from "../../record/timeline.ts";
import type { HostWork, OpRecord, Profile, RangeRecord } from "../../result/schema.ts";
import type { ProfiledRun } from "../../trainer/profile_run.ts";
import type { ProfiledSteps } from "../../trainer/profiled_steps.ts";
import type { ProfilingCost } from "../../trainer/profiling_cost.ts";

/** Measurements of the rounds that a profile includes. */
export interface MeasuredHost {
  readonly host: readonly HostWork[];
  readonly transfers: Profile["transfers"];
  /** Defects of the timestamps of measured steps. */
  readonly defects: DefectCounts;
  /** Median of each phase in ms, on the device's clock. */
  readonly phases: ReadonlyMap<string, number>;
  /** Batch cost in ms, the mean over blocks as in the matrix; null without blocks. */
  readonly batchCost: number | null;
}

/** Returns the profile of a variant without a model: the host's work of its measured blocks. */
export function hostProfile(measured: MeasuredHost): Profile {
  return {
    steps: 0,
    firstStep: 0,
    host: [...measured.host],
    phases: [],
    weightDecay: null,
    ranges: [],
    transfers: measured.transfers,
    memory: [],
    cpu: [],
    cost: { phases: null, ops: null, uncertainty: null },
    trust: { defects: measured.defects, nsPerTick: null, offsetUncertainty: null, resolution: null },
  };
}

/** Adds the lanes of cores and threads to a timeline. */
export function withLanes(timeline: Timeline, lanes: CpuLanes | null): Timeline {
  if (lanes === null) return timeline;
  const { spans, counters, sampling } = lanes;
  return {
    ...timeline,
    spans: [...timeline.spans, ...spans],
    counters: [...timeline.counters, ...counters],
    sampling,
  };
}

/** Returns the cost of profiling as a fraction of the batch cost; nulls where either is unknown. */
function costOf(cost: ProfilingCost | null, batchCost: number | null): Profile["cost"] {
  if (cost === null || batchCost === null || batchCost <= 0) return { phases: null, ops: null, uncertainty: null };
  const [phases, ops] = [relativeToBatch(cost.phases, batchCost), relativeToBatch(cost.ops, batchCost)];
  const uncertainty = { phases: phases.uncertainty, ops: ops.uncertainty };
  return { phases: phases.value, ops: ops.value, uncertainty };
}

/** Op records, profile and timeline of profiled steps. */
export interface ComposedProfile {
  readonly ops: OpRecord[];
  readonly profile: Profile;
  readonly timeline: Timeline;
}

/** Everything that a profile of a plan's steps is composed of. */
export interface ProfileParts {
  readonly name: string;
  readonly plan: Plan;
  readonly memory: CompiledVariant["memory"];
  readonly executor: Pick<Executor, "ops" | "dispatches">;
  /** Measurements of the profiled steps; null without any. */
  readonly run:
    | Pick<ProfiledRun, "cpu" | "lanes" | "cost"> & {
      readonly steps: Pick<ProfiledSteps, "statistics" | "first" | "traced" | "work">;
    }
    | null;
  readonly setups: ReadonlyMap<string, OpSetup>;
  /** Ticks of each dispatch by round of {@linkcode OpSamples}; omitted without rounds. */
  readonly samples?: readonly (readonly number[])[] | undefined;
  readonly hostRanges: readonly RangeRecord[];
  /** Spans, counters and flows of the host. */
  readonly kept: ReturnType<Recorder["take"]>;
}

/**
 * Composes the profile of a plan's steps, with the timeline on the host's time axis.
 *
 * @param clock mapping of the device's clock to the host's; null if not calibrated
 */
export function composeProfile(parts: ProfileParts, clock: ClockFit | null, measured: MeasuredHost): ComposedProfile {
  const { plan, memory: planned, executor, run, kept } = parts;
  const { ops, dispatches } = executor;
  const { statistics, first, traced = [], work } = run?.steps ?? {};
  const toMs = clock?.toMs ?? ((ticks: bigint) => Number(ticks) / 1e6);
  const times = statistics === undefined ? null : {
    ops: statistics.ops.slice(0, ops.length),
    dispatches: statistics.dispatches.slice(0, dispatches.length),
    samples: parts.samples,
  };
  const records = opRecords(executor, plan, times, parts.setups, toMs);
  const decay = plan.decay === null ? undefined : statistics?.ops[ops.length];
  const splits = (statistics?.phases ?? []).filter(({ phase }) => phase !== DECAY_PHASE);
  const phases = new Map([...measured.phases].map(([phase, ms]) => [phase, ms * (clock?.scale ?? 1)]));
  const memory = memoryPoints(plan, planned);
  const profile: Profile = {
    steps: statistics?.steps ?? 0,
    firstStep: first ?? 0,
    host: [...measured.host],
    phases: phaseSplits(splits, ops, toMs, phases),
    weightDecay: decay === undefined ? null : timesInMs(decay, toMs),
    ranges: [...nestRanges(parts.hostRanges), ...deviceRanges(records, plan)],
    transfers: measured.transfers,
    memory,
    cpu: run?.cpu.map((use) => ({ ...use })) ?? [],
    cost: costOf(run?.cost ?? null, measured.batchCost),
    trust: {
      defects: addDefects(measured.defects, statistics?.defects ?? NO_DEFECTS),
      nsPerTick: clock === null || !Number.isFinite(clock.nsPerTickUncertainty)
        ? null
        : { value: clock.nsPerTick, uncertainty: clock.nsPerTickUncertainty },
      offsetUncertainty: clock?.offsetUncertaintyMs ?? null,
      resolution: statistics?.resolution ?? null,
    },
  };
  const timeline = buildTimeline(
    parts.name,
    work ?? executor,
    plan.decay === null ? plan.nodes : [...plan.nodes, plan.decay.node],
    clock === null ? [] : traced,
    memory,
    kept,
    (deviceNs) => clock!.toHost(deviceNs),
  );
  const shown = { traced: traced.length, profiled: profile.steps };
  return {
    ops: records,
    profile,
    timeline: withLanes({ ...timeline, steps: shown, leftOut: kept.leftOut }, run?.lanes ?? null),
  };
}

/** Returns the host's records of ranges by path. */
export function hostRanges(
  sums: ReadonlyMap<string, { readonly calls: number; readonly total: number }>,
): RangeRecord[] {
  return [...sums].map(([path, { calls, total }]) => ({
    path,
    track: "host",
    phase: null,
    entries: calls,
    calls,
    total,
    mean: total / calls,
  }));
}
