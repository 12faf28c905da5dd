import type { PassTimes } from "../record/device_samples.ts";
import { type OpPasses, OpStatistics } from "../record/op_statistics.ts";
import type { Recorder } from "../record/recorder.ts";
import { type ProfileRequest, stepCount, type StepMode, stepMode } from "../record/schedule.ts";
import { type CpuUse, watchCpu } from "../record/cpu_use.ts";
import type { ProfiledSubmit } from "./profiled_submits.ts";

/** A step that was recorded with a timed pass for each op. */
export interface ProfiledStep {
  /** Counted over the profiled run. */
  readonly index: number;
  /** In the order of the executor's ops; empty where the adapter has no timestamps. */
  readonly passes: OpPasses;
  readonly submits: readonly ProfiledSubmit[];
}

/** What is kept for the trace at most: steps, and passes over all of them, but one step in any case. */
const MOST_STEPS = 100;
const MOST_PASSES = 20_000;

/** Takes the steps of a schedule: sums over all that are recorded, and the first of them in full. */
export class ProfiledSteps {
  readonly statistics: OpStatistics;
  /** Kept in full. */
  readonly traced: ProfiledStep[] = [];
  /** The first that was recorded; null before. */
  first: number | null = null;
  readonly #request: ProfileRequest;
  readonly #recorder: Recorder;
  readonly #mostTraced: number;
  #stopWatch: (() => CpuUse[]) | null = null;

  /** @param phases the phase of each op of a step; none where nothing runs on the device */
  constructor(request: ProfileRequest, recorder: Recorder, phases: readonly string[]) {
    this.statistics = new OpStatistics(phases);
    this.#request = request;
    this.#recorder = recorder;
    this.#mostTraced = Math.max(1, Math.min(MOST_STEPS, Math.floor(MOST_PASSES / Math.max(1, phases.length))));
  }

  /** Steps of the schedule. */
  get count(): number {
    return stepCount(this.#request);
  }

  mode(step: number): StepMode {
    return stepMode(this.#request, step);
  }

  /**
   * Steps from `from` to the one before `to` are about to run: what the recorder keeps of them.
   *
   * @param unread steps before them that have run and are yet to be added
   */
  begin(from: number, to: number, unread = 0): void {
    let active = false;
    for (let step = from; step < to && !active; step++) active = this.mode(step) === "active";
    this.#recorder.recording = active;
    this.#recorder.keeping = active && this.traced.length + unread < this.#mostTraced;
    if (active) this.#stopWatch ??= watchCpu();
  }

  /** A step has run; `raw` are the passes of its ops, none where they were not timed. */
  add(step: number, raw: readonly PassTimes[], submits: readonly ProfiledSubmit[]): void {
    if (this.mode(step) !== "active") return this.statistics.skip(raw);
    const passes = this.statistics.add(raw);
    this.first ??= step;
    if (this.traced.length < this.#mostTraced) this.traced.push({ index: step, passes, submits });
  }

  /** No step runs any more; says what the processor did over the recorded ones. */
  end(): CpuUse[] {
    this.#recorder.recording = false;
    this.#recorder.keeping = false;
    const cpu = this.#stopWatch?.() ?? [];
    this.#stopWatch = null;
    return cpu;
  }
}
