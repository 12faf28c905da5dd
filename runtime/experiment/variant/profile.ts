import { memoryPoints } from "../../analysis/memory_points.ts";
import { deviceRanges } from "../../analysis/device_ranges.ts";
import { opRecords, type OpSetup, phaseSplits, timesInMs } from "../../analysis/profiled_ops.ts";
import { nestRanges } from "../../analysis/range_order.ts";
import { buildTimeline } from "../../analysis/timeline.ts";
import { DECAY_PHASE } from "../../compile/decay.ts";
import type { Loader } from "../../data/loader/loader.ts";
import type { Device } from "../../device/device.ts";
import { listenToRanges } from "../../core/range.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { CpuLanes } from "../../record/cpu_lanes.ts";
import type { DefectCounts } from "../../record/device_samples.ts";
import { addDefects, NO_DEFECTS } from "../../record/device_samples.ts";
import { relativeToBatch } from "../../record/extra_time.ts";
import { Recorder } from "../../record/recorder.ts";
import { type ProfileRequest, stepCount } from "../../record/schedule.ts";
import type { Timeline } from "../../record/timeline.ts";
import type { HostWork, OpRecord, Profile, RangeRecord } from "../../result/schema.ts";
import { firstDispatches, type ProfiledRun, type ProfileOptions, runProfile } from "../../trainer/profile_run.ts";
import type { ProfilingCost } from "../../trainer/profiling_cost.ts";
import type { Session } from "../../trainer/session.ts";

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

/** Profiled steps of a variant, and the profile made from them. */
export class VariantProfile {
  readonly #name: string;
  readonly #session: Session;
  readonly #device: Device;
  readonly #request: ProfileRequest;
  readonly #setups = new Map<string, OpSetup>();
  /** WGSL of the kernels of each op whose setup was timed. */
  #code: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #ranges = new Map<string, { calls: number; total: number }>();
  #run: ProfiledRun | null = null;
  #kept = new Recorder().take();

  constructor(name: string, session: Session, device: Device, request: ProfileRequest) {
    this.#name = name;
    this.#session = session;
    this.#device = device;
    this.#request = request;
  }

  /** Number of steps of the schedule. */
  get steps(): number {
    return stepCount(this.#request);
  }

  /** Times the first run of each op separately, before anything else runs; after a change of plan, of changed ops only. */
  async setUp(): Promise<void> {
    const { ops, plan } = this.#session.executor;
    const dispatches = Map.groupBy(
      plan.segments.flatMap((segment) => segment.dispatches),
      (dispatch) => dispatch.nodeId,
    );
    const code = new Map(ops.map(({ nodeId }) => [nodeId, dispatches.get(nodeId)!.map(({ kernel }) => kernel.wgsl)]));
    const fresh = ops.filter(({ nodeId }) => code.get(nodeId)!.join() !== this.#code.get(nodeId)?.join());
    const first = await firstDispatches(this.#session, this.#device, fresh);
    this.#code = code;
    const seen = new Set<string>();
    for (const op of ops) {
      let pipeline = 0;
      for (const { kernel } of dispatches.get(op.nodeId)!) {
        // A shared pipeline counts for the first of its ops
        if (!seen.has(kernel.wgsl)) pipeline += this.#device.pipelines.creationTime(kernel) ?? 0;
        seen.add(kernel.wgsl);
      }
      const firstDispatch = first.get(op) ?? this.#setups.get(op.nodeId)!.firstDispatch;
      this.#setups.set(op.nodeId, { pipeline, firstDispatch });
    }
  }

  /** Runs the schedule in blocks like the measured ones. Returns true if interrupted. */
  async run(
    loader: Loader,
    recorder: Recorder,
    hooks: Pick<ProfileOptions, "blockSteps" | "monitor" | "shouldStop" | "onStep">,
  ): Promise<boolean> {
    const unlisten = listenToRanges((path, start, end) => {
      if (!recorder.recording) return; // the step is not recorded
      const known = this.#ranges.get(path) ?? { calls: 0, total: 0 };
      this.#ranges.set(path, { calls: known.calls + 1, total: known.total + end - start });
      recorder.span("main", path, start, end);
    });
    try {
      this.#run = await runProfile({
        session: this.#session,
        device: this.#device,
        loader,
        request: this.#request,
        recorder,
        ...hooks,
      });
    } finally {
      unlisten();
      this.#kept = recorder.take();
    }
    return this.#run.interrupted;
  }

  /** Returns op records, the profile, and the timeline of the recorded steps on the host's time axis. */
  result(clock: ClockFit | null, measured: MeasuredHost): { ops: OpRecord[]; profile: Profile; timeline: Timeline } {
    const { plan, ops, dispatches } = this.#session.executor;
    const run = this.#run;
    const { statistics, first, traced = [], work } = run?.steps ?? {};
    const toMs = clock?.toMs ?? ((ticks: bigint) => Number(ticks) / 1e6);
    const times = statistics === undefined ? null : {
      ops: statistics.ops.slice(0, ops.length),
      dispatches: statistics.dispatches.slice(0, dispatches.length),
    };
    const records = opRecords(ops, plan.nodes, times, this.#setups, toMs);
    const decay = plan.decay === null ? undefined : statistics?.ops[ops.length];
    const splits = (statistics?.phases ?? []).filter(({ phase }) => phase !== DECAY_PHASE);
    const phases = new Map([...measured.phases].map(([phase, ms]) => [phase, ms * (clock?.scale ?? 1)]));
    const memory = memoryPoints(plan, this.#session.compiled.memory);
    const profile: Profile = {
      steps: statistics?.steps ?? 0,
      firstStep: first ?? 0,
      host: [...measured.host],
      phases: phaseSplits(splits, ops, toMs, phases),
      weightDecay: decay === undefined ? null : timesInMs(decay, toMs),
      ranges: [...nestRanges(this.#hostRanges()), ...deviceRanges(records, plan.nodes)],
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
      this.#name,
      work?.ops ?? ops,
      plan.decay === null ? plan.nodes : [...plan.nodes, plan.decay.node],
      clock === null ? [] : traced,
      memory,
      this.#kept,
      (deviceNs) => clock!.toHost(deviceNs),
    );
    const shown = { traced: traced.length, profiled: profile.steps };
    return {
      ops: records,
      profile,
      timeline: withLanes({ ...timeline, steps: shown, leftOut: this.#kept.leftOut }, run?.lanes ?? null),
    };
  }

  #hostRanges(): RangeRecord[] {
    return [...this.#ranges].map(([path, { calls, total }]) => ({
      path,
      track: "host",
      phase: null,
      entries: calls,
      calls,
      total,
      mean: total / calls,
    }));
  }
}
