import type { CpuUse } from "../../record/cpu_use.ts";
import type { CpuLanes } from "../../record/cpu_lanes.ts";
import type { RawPass } from "../../record/device_samples.ts";
import type { Device } from "../../device/device.ts";
import { OpStatistics, type StepPasses } from "../../record/op_statistics.ts";
import { addSums, type Recorder, type SpanSums } from "../../record/recorder.ts";
import { type DeviceStep, traceSteps } from "../../record/step_trace.ts";
import type { ProfiledStep } from "../../trainer/profiled_steps.ts";
import { type ProfiledSubmit, READ_TIMESTAMPS, type TimedWork } from "../../trainer/profiled_submits.ts";

/** A step of the trainer within a step of the loop: a timed pass for each dispatch. */
export interface TrainerUnit {
  /** Empty if the adapter has no timestamps. */
  readonly raw: readonly RawPass[];
  readonly submits: readonly ProfiledSubmit[];
  readonly loss: number;
  readonly readerCost: number | null;
}

/** Interval on the device's clock, in ticks. */
export interface DeviceInterval {
  readonly begin: bigint;
  readonly end: bigint;
}

/** A range that ended in a recorded step. */
export interface RecordedRange {
  readonly path: string;
  /** ms on the host's clock. */
  readonly host: number;
  /** Times on the device; null without events. */
  readonly device: DeviceInterval | null;
}

/** Operations of a trainer's device. */
export type DeviceCounts = Readonly<Device["counts"]>;

/** A recorded step of the loop. */
export interface RecordedStep {
  readonly index: number;
  readonly cycle: number;
  /** Times on the `performance.now()` axis. */
  readonly start: number;
  readonly end: number;
  readonly units: readonly TrainerUnit[];
  readonly ranges: readonly RecordedRange[];
  /** From the first to the last of what the step submitted; null without events. */
  readonly device: DeviceInterval | null;
  /** Counts during the step; null without a trainer. */
  readonly counts: DeviceCounts | null;
}

/** A recorded step, without its passes. */
export interface LoopStep extends Pick<RecordedStep, "index" | "cycle" | "start" | "end" | "device" | "counts"> {
  /** Loss of the trainer's last step in it; null without a trainer. */
  readonly loss: number | null;
  readonly readerCost: number | null;
  /** Steps of the trainer. */
  readonly units: number;
  /** Device times of the trainer's phases; null without timed passes. */
  readonly trace: DeviceStep | null;
}

/** Sums over the entries of a range. */
export interface RangeSums {
  calls: number;
  total: number;
}

/** Interval of a step or range on the device, for the trace. */
interface DeviceSpan extends DeviceInterval {
  readonly track: "device phases" | "device ranges";
  readonly name: string;
  readonly step: number;
}

/** Maximum number of steps that a trace holds in full, and of passes over all of them. */
const MAX_TRACED = { steps: 100, passes: 20_000 } as const;

/** Recorded steps of one cycle, or of all: sums over every step, and the first ones in full. */
export class LoopRecording {
  readonly statistics: OpStatistics;
  readonly steps: LoopStep[] = [];
  readonly traced: ProfiledStep[] = [];
  readonly spans: DeviceSpan[] = [];
  readonly host = new Map<string, RangeSums>();
  /** Time of ranges on the device, in ticks. */
  readonly device = new Map<string, RangeSums>();
  readonly sums = new Map<string, SpanSums>();
  readonly kept: ReturnType<Recorder["take"]> = { spans: [], counters: [], flows: [], leftOut: 0 };
  cpu: readonly CpuUse[] = [];
  lanes: CpuLanes | null = null;
  /** Phases of the dispatches of a step of the trainer, without those added for profiling. */
  readonly #phases: readonly string[];
  /** Steps that are kept in full. */
  readonly mostTraced: number;
  #previous: StepPasses = [];
  #cycle = -1;
  /** True if the cycle began while steps were kept in full. */
  #hadRoom = true;

  /** Ops and dispatches of a step of the trainer; null without one. */
  readonly work: TimedWork | null;

  /** @param dispatches number of its dispatches that belong to the step itself */
  constructor(work: TimedWork | null, dispatches: number) {
    this.work = work;
    const all = work?.dispatches ?? [];
    this.statistics = new OpStatistics(all.map(({ phase }) => phase), all.map(({ op }) => op));
    this.#phases = all.slice(0, dispatches).map(({ phase }) => phase);
    this.mostTraced = Math.max(1, Math.min(MAX_TRACED.steps, Math.floor(MAX_TRACED.passes / Math.max(1, all.length))));
  }

  /** Number of steps kept in full. */
  get inFull(): number {
    return Math.min(this.steps.length, this.mostTraced);
  }

  add(step: RecordedStep): void {
    const inFull = this.steps.length < this.mostTraced;
    if (step.cycle !== this.#cycle) [this.#cycle, this.#previous, this.#hadRoom] = [step.cycle, [], inFull];
    const { index, cycle, start, end, device, counts, units, ranges } = step;
    let trace: DeviceStep | null = null;
    for (const { raw, submits } of units) {
      const passes = this.statistics.add(raw, submits.map(({ firstPass }) => firstPass));
      if (inFull) this.traced.push({ index, passes, submits });
      const own = passes.slice(0, this.#phases.length);
      if (own.length > 0) trace = addSteps(trace, traceSteps([...this.#previous, ...own], this.#phases).at(-1)!);
      this.#previous = own;
    }
    for (const { path, host, device } of ranges) {
      addRange(this.host, path, host);
      if (device === null) continue;
      addRange(this.device, path, Number(device.end - device.begin));
      if (inFull) this.spans.push({ track: "device ranges", name: path, ...device, step: index });
    }
    if (inFull && device !== null) this.spans.push({ track: "device phases", name: "step", ...device, step: index });
    const readerCosts = units.flatMap(({ readerCost }) => readerCost ?? []);
    this.steps.push({
      ...{ index, cycle, start, end, device, counts, trace },
      units: units.length,
      loss: units.at(-1)?.loss ?? null,
      readerCost: readerCosts.length === 0 ? null : readerCosts.reduce((sum, cost) => sum + cost, 0),
    });
  }

  /** Reads the passes of warm-up steps without adding them. */
  skip(raw: readonly RawPass[]): void {
    this.statistics.skip(raw);
  }

  /** Adds the host's records of the last cycle. */
  addHost(sums: ReadonlyMap<string, SpanSums>, kept: ReturnType<Recorder["take"]>, cpu: readonly CpuUse[]): void {
    for (const [name, more] of sums) {
      if (name === READ_TIMESTAMPS) continue; // runs between the steps
      const known = this.sums.get(name);
      this.sums.set(name, known === undefined ? more : addSums(known, more));
    }
    const steps = this.steps.filter(({ cycle }) => cycle === this.#cycle).length;
    this.cpu = mergeCpu(this.cpu, this.steps.length - steps, cpu, steps);
    if (!this.#hadRoom) return;
    this.kept.spans.push(...kept.spans);
    this.kept.counters.push(...kept.counters);
    this.kept.flows.push(...kept.flows);
    this.kept.leftOut += kept.leftOut;
  }
}

/** Returns the mean use of cores and threads over two recordings, weighted by their numbers of steps. */
function mergeCpu(a: readonly CpuUse[], stepsA: number, b: readonly CpuUse[], stepsB: number): CpuUse[] {
  const uses = Map.groupBy(
    [...a.map((use) => ({ use, steps: stepsA })), ...b.map((use) => ({ use, steps: stepsB }))],
    ({ use }) => `${use.kind} ${use.name}`,
  );
  const all = stepsA + stepsB;
  return [...uses.values()].map((own): CpuUse => {
    const mean = (value: (use: CpuUse) => number) =>
      own.reduce((sum, { use, steps }) => sum + value(use) * steps, 0) / all;
    const waiting = own.some(({ use }) => use.waiting === null) ? null : mean(({ waiting }) => waiting!);
    return { ...own[0]!.use, running: mean(({ running }) => running), waiting };
  });
}

function addRange(ranges: Map<string, RangeSums>, path: string, time: number): void {
  const sums = ranges.get(path) ?? { calls: 0, total: 0 };
  sums.calls++;
  sums.total += time;
  ranges.set(path, sums);
}

/** Adds the device times of two steps of the trainer in one of the loop. */
function addSteps(a: DeviceStep | null, b: DeviceStep): DeviceStep {
  if (a === null) return b;
  const add = (x: number | null | undefined, y: number | null | undefined) => x == null || y == null ? null : x + y;
  const phases = { ...a.phases };
  for (const name of Object.keys(phases)) phases[name] = add(a.phases?.[name], b.phases?.[name]);
  return {
    forward: add(a.forward, b.forward),
    backward: add(a.backward, b.backward),
    update: add(a.update, b.update),
    iterationGap: a.iterationGap === null ? b.iterationGap : add(a.iterationGap, b.iterationGap),
    ...a.phases === undefined ? {} : { phases },
  };
}
