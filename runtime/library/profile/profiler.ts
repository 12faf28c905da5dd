import { listenToRanges } from "../../core/range.ts";
import { InputError } from "../../core/errors.ts";
import { sampleClock } from "../../device/clock.ts";
import { Device } from "../../device/device.ts";
import { type EventClock, eventClock, type Recording } from "../../device/event_clock.ts";
import type { ClockSample } from "../../record/clock_fit.ts";
import { type CpuUse, watchCpu } from "../../record/cpu_use.ts";
import { Recorder } from "../../record/recorder.ts";
import { type ProfileRequest, type StepMode, stepMode } from "../../record/schedule.ts";
import { CpuSampler } from "../../trainer/cpu_sampler.ts";
import { READ_STEPS } from "../../trainer/profiled_submits.ts";
import type { LoopProfile } from "./loop_profile.ts";
import { cycleOf, type ProfileOptions, requestOf } from "./schedule.ts";
import {
  type DeviceCounts,
  type DeviceInterval,
  LoopRecording,
  type RecordedRange,
  type RecordedStep,
} from "./recording.ts";
import type { TrainerSteps } from "./trainer_steps.ts";

/** A begin and an end on the device's queue that may not have been read. */
interface MarkedInterval {
  readonly begin: Recording;
  readonly end: Recording;
}

/** Marks moments on a device's queue; none on a device without timestamps. */
class DeviceMarks {
  readonly #device: Device;
  readonly #clock: EventClock;

  private constructor(device: Device) {
    this.#device = device;
    this.#clock = eventClock(device);
  }

  /** Returns null for a device without timestamps. */
  static of(device: Device): DeviceMarks | null {
    return device.timestamps ? new DeviceMarks(device) : null;
  }

  mark(): Recording {
    return this.#clock.record(this.#device.gpu.queue);
  }

  /** Reads all marks so far. Waits for the device. */
  read(): Promise<void> {
    return this.#clock.read();
  }
}

/** A range whose events have not been read. */
interface UnreadRange extends Omit<RecordedRange, "device"> {
  readonly device: MarkedInterval | null;
}

/** A step whose events and passes have not been read. */
interface UnreadStep extends Omit<RecordedStep, "units" | "ranges" | "device"> {
  readonly mode: StepMode;
  /** Steps of the trainer. */
  readonly units: number;
  readonly ranges: readonly UnreadRange[];
  readonly device: MarkedInterval | null;
}

/** The step that runs. */
interface OpenStep {
  readonly index: number;
  readonly mode: StepMode;
  readonly start: number;
  readonly begin: Recording | null;
  readonly ranges: UnreadRange[];
  /** Unread steps of the trainer before this step. */
  readonly before: number;
  /** Counts of the trainer's device before this step. */
  readonly counts: DeviceCounts | null;
}

/** Records steps of a loop by a schedule. Created by `profile()`. */
export class Profiler implements AsyncDisposable {
  readonly #options: ProfileOptions;
  readonly #request: ProfileRequest;
  readonly #recorder = new Recorder();
  readonly #device: Device | null;
  readonly #marks: DeviceMarks | null;
  readonly #clock: ClockSample[] = [];
  readonly #unread: UnreadStep[] = [];
  /** Durations of the steps that the schedule leaves alone, except the first of the loop, in ms. */
  readonly #idle: number[] = [];
  #trainer: TrainerSteps | null = null;
  #sampler: CpuSampler | null = null;
  #unlisten: (() => void) | null = null;
  #stopWatch: (() => CpuUse[]) | null = null;
  /** Recordings of all cycles and of the current one. */
  #all: LoopRecording | null = null;
  #cycle: LoopRecording | null = null;
  #open: OpenStep | null = null;
  #started = false;
  #stopped: Promise<LoopProfile> | null = null;

  /** Scripts call `profile()`. */
  constructor(options: ProfileOptions) {
    this.#options = options;
    this.#request = requestOf(options);
    const { device, trainer } = options;
    this.#device = device !== undefined ? Device.of(device) : trainer?.device ?? null;
    this.#marks = device === undefined ? null : DeviceMarks.of(this.#device!);
  }

  /**
   * Starts step 0 of the schedule.
   *
   * @throws {InputError} if it was started before, or another profiler records the trainer
   */
  async start(): Promise<this> {
    if (this.#started) throw new InputError("profile: start() was called before; create another profiler");
    this.#started = true;
    try {
      const { trainer } = this.#options;
      if (trainer !== undefined) {
        const { TrainerSteps } = await import("./trainer_steps.ts");
        this.#trainer = await TrainerSteps.open(trainer, this.#recorder);
      }
      this.#sampler = await CpuSampler.start();
      this.#all = this.#newRecording();
      this.#cycle = this.#newRecording();
      this.#unlisten = listenToRanges((path, start) => this.#enterRange(path, start));
      await this.#sampleClock();
      this.#begin(0);
    } catch (error) {
      await this.#detach();
      throw error;
    }
    return this;
  }

  /**
   * Ends a step of the loop and begins the next. At the end of a cycle, reads what the device recorded and calls `onTrace`;
   * otherwise it takes microseconds.
   *
   * @throws {InputError} before `start()` and after `stop()`
   */
  async step(): Promise<void> {
    const open = this.#running("step");
    this.#end(open);
    const { index, mode } = open;
    const next = index + 1;
    const follows = stepMode(this.#request, next) === "active" &&
      cycleOf(this.#request, next) === cycleOf(this.#request, index);
    if (this.#unread.length >= READ_STEPS) await this.#read();
    if (mode === "active" && !follows) await this.#endCycle();
    this.#begin(next);
  }

  /**
   * Ends the recording and returns the profile of all cycles. Without a call of `step()`, everything since `start()` is one
   * step; otherwise what follows the last `step()` belongs to none. A second call returns the same profile.
   *
   * @throws {InputError} before `start()`
   */
  async stop(): Promise<LoopProfile> {
    this.#stopped ??= this.#stop(this.#running("stop"));
    return await this.#stopped;
  }

  /** Ends the recording, without a profile unless `stop()` was called. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stopped !== null) await this.#stopped.catch(() => {});
    else await this.#detach();
  }

  async #stop(open: OpenStep): Promise<LoopProfile> {
    try {
      if (open.index === 0) this.#end(open);
      await this.#endCycle();
      this.#all!.lanes = await this.#sampler?.stop() ?? null;
    } finally {
      await this.#detach();
    }
    await this.#measurePeaks();
    return await this.#compose(this.#all!, null);
  }

  async #measurePeaks(): Promise<void> {
    if (this.#options.peaks !== true || this.#device === null || this.#device.lost) return;
    const { adapterPeaks } = await import("../../engine/peak_cache.ts");
    await adapterPeaks(this.#device, { keep: false });
  }

  async #detach(): Promise<void> {
    this.#open = null;
    this.#recorder.recording = this.#recorder.keeping = false;
    this.#unlisten?.();
    this.#trainer?.close();
    this.#trainer = null;
    await this.#sampler?.stop();
    this.#sampler = null;
  }

  #running(call: string): OpenStep {
    if (this.#open !== null) return this.#open;
    const when = this.#started ? "was stopped; create another profiler" : "was not started; call start() first";
    throw new InputError(`profile: ${call}() was called, but the profiler ${when}`);
  }

  #begin(index: number): void {
    const mode = stepMode(this.#request, index);
    const active = mode === "active";
    const recorder = this.#recorder;
    recorder.recording = active;
    recorder.keeping = active && this.#cycle!.steps.length + this.#unread.length < this.#cycle!.mostTraced;
    this.#sampler?.sample(recorder.keeping);
    this.#trainer?.observe(mode !== "idle");
    if (active && this.#stopWatch === null) {
      recorder.takeSums(); // discards those of warm-up steps
      this.#stopWatch = watchCpu();
    }
    const begin = active ? this.#marks?.mark() ?? null : null;
    const before = this.#trainer?.unread ?? 0;
    const counts = this.#trainer === null ? null : { ...this.#device!.counts };
    this.#open = { index, mode, begin, before, counts, ranges: [], start: performance.now() };
  }

  #end({ index, mode, start, begin, before, ranges, counts: earlier }: OpenStep): void {
    const end = performance.now();
    if (mode === "idle") {
      if (index > 0) this.#idle.push(end - start);
      return;
    }
    const units = (this.#trainer?.unread ?? 0) - before;
    this.#recorder.keep({ track: "main", name: `step ${index}`, start, end, step: index });
    const device = begin === null ? null : { begin, end: this.#marks!.mark() };
    const counts = earlier === null ? null : countsSince(earlier, this.#device!.counts);
    this.#unread.push({ index, cycle: cycleOf(this.#request, index), mode, start, end, units, ranges, device, counts });
  }

  #enterRange(path: string, start: number): (end: number) => void {
    const open = this.#open;
    if (open === null || open.mode !== "active") return () => {};
    const begin = this.#marks?.mark() ?? null;
    return (end) => {
      const last = this.#open;
      const within = last?.mode === "active" &&
        cycleOf(this.#request, last.index) === cycleOf(this.#request, open.index);
      if (!within) return; // the range lasted longer than the recorded steps
      this.#recorder.keep({ track: "main", name: path, start, end });
      const device = begin === null ? null : { begin, end: this.#marks!.mark() };
      last.ranges.push({ path, host: end - start, device });
    };
  }

  /** Reads passes and events of the steps that have ended, and adds them to the recordings. */
  async #read(): Promise<void> {
    const units = await this.#trainer?.read() ?? [];
    await this.#marks?.read();
    let next = 0;
    for (const { mode, units: count, ranges, device, ...step } of this.#unread.splice(0)) {
      const own = units.slice(next, next += count);
      for (const recording of [this.#all!, this.#cycle!]) {
        if (mode === "warmup") own.forEach(({ raw }) => recording.skip(raw));
        else {
          recording.add({
            ...step,
            units: own,
            ranges: ranges.map((range) => ({ ...range, device: intervalOf(range.device) })),
            device: intervalOf(device),
          });
        }
      }
    }
  }

  async #endCycle(): Promise<void> {
    await this.#read();
    const cycle = this.#cycle!;
    if (cycle.steps.length === 0) return;
    await this.#sampleClock();
    const cpu = this.#stopWatch?.() ?? [];
    this.#stopWatch = null;
    const [sums, kept] = [this.#recorder.takeSums(), this.#recorder.take()];
    for (const recording of [this.#all!, cycle]) recording.addHost(sums, kept, cpu);
    this.#cycle = this.#newRecording();
    const { onTrace } = this.#options;
    if (onTrace !== undefined) await onTrace(await this.#compose(cycle, cycle.steps[0]!.cycle));
  }

  #newRecording(): LoopRecording {
    return new LoopRecording(this.#trainer?.work ?? null, this.#trainer?.dispatches ?? 0);
  }

  async #sampleClock(): Promise<void> {
    const sample = this.#device === null || this.#device.lost ? null : await sampleClock(this.#device);
    if (sample !== null) this.#clock.push(sample);
  }

  async #compose(recording: LoopRecording, cycle: number | null): Promise<LoopProfile> {
    const { composeLoop } = await import("./compose.ts");
    return await composeLoop({
      recording,
      cycle,
      options: this.#options,
      device: this.#device,
      clock: this.#clock,
      idle: this.#idle,
    });
  }
}

function countsSince(before: DeviceCounts, after: DeviceCounts): DeviceCounts {
  const keys = Object.keys(before) as (keyof DeviceCounts)[];
  return Object.fromEntries(keys.map((key) => [key, after[key] - before[key]])) as unknown as DeviceCounts;
}

/** Returns the times of an interval that was read. */
function intervalOf(marked: MarkedInterval | null): DeviceInterval | null {
  if (marked === null || marked.begin.time === null || marked.end.time === null) return null;
  return { begin: marked.begin.time, end: marked.end.time };
}
