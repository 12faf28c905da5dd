import type { RawPass } from "../record/device_samples.ts";
import { OpStatistics, type StepPasses } from "../record/op_statistics.ts";
import type { Recorder } from "../record/recorder.ts";
import { type ProfileRequest, stepCount, type StepMode, stepMode } from "../record/schedule.ts";
import { type CpuUse, watchCpu } from "../record/cpu_use.ts";
import type { CpuSampler } from "./cpu_sampler.ts";
import type { ProfiledSubmit, TimedWork } from "./profiled_submits.ts";

/** A step recorded with a timed pass for each dispatch. */
export interface ProfiledStep {
  /** Index of the step in the profiled run. */
  readonly index: number;
  /** Passes in the order of the executor's dispatches; empty if the adapter has no timestamps. */
  readonly passes: StepPasses;
  readonly submits: readonly ProfiledSubmit[];
}

/** Maximum number of steps in the trace, and of passes over all steps. The trace has at least one step. */
const MAX_STEPS = 100;
const MAX_PASSES = 20_000;

/** Collects the steps of a schedule: statistics over all recorded steps, and the first of them in full. */
export class ProfiledSteps {
  readonly statistics: OpStatistics;
  /** Steps kept in full. */
  readonly traced: ProfiledStep[] = [];
  /** Index of the first recorded step; null before it. */
  first: number | null = null;
  readonly #request: ProfileRequest;
  readonly #recorder: Recorder;
  readonly #mostTraced: number;
  readonly #sampler: CpuSampler | null;
  #stopWatch: (() => CpuUse[]) | null = null;

  readonly work: TimedWork | null;

  /**
   * @param work ops and dispatches of a step; null if nothing runs on the device
   * @param sampler samples cores and threads in the steps kept in full
   */
  constructor(
    request: ProfileRequest,
    recorder: Recorder,
    work: TimedWork | null,
    sampler: CpuSampler | null = null,
  ) {
    this.work = work;
    const { dispatches } = work ?? { dispatches: [] };
    this.statistics = new OpStatistics(dispatches.map(({ phase }) => phase), dispatches.map(({ op }) => op));
    this.#request = request;
    this.#recorder = recorder;
    this.#sampler = sampler;
    this.#mostTraced = Math.max(1, Math.min(MAX_STEPS, Math.floor(MAX_PASSES / Math.max(1, dispatches.length))));
  }

  /** Number of steps in the schedule. */
  get count(): number {
    return stepCount(this.#request);
  }

  mode(step: number): StepMode {
    return stepMode(this.#request, step);
  }

  /**
   * Prepares the recorder for the steps from `from` to `to - 1`, which are about to run.
   *
   * @param unread number of earlier steps that have run and are not yet added
   */
  begin(from: number, to: number, unread = 0): void {
    let active = false;
    for (let step = from; step < to && !active; step++) active = this.mode(step) === "active";
    this.#recorder.recording = active;
    this.#recorder.keeping = active && this.traced.length + unread < this.#mostTraced;
    this.#sampler?.sample(this.#recorder.keeping);
    if (active) this.#stopWatch ??= watchCpu();
  }

  /** Adds a step that has run. `raw` are the passes of its dispatches; empty if they were not timed. */
  add(step: number, raw: readonly RawPass[], submits: readonly ProfiledSubmit[]): void {
    if (this.mode(step) !== "active") return this.statistics.skip(raw);
    const passes = this.statistics.add(raw, submits.map(({ firstPass }) => firstPass));
    this.first ??= step;
    if (this.traced.length < this.#mostTraced) this.traced.push({ index: step, passes, submits });
  }

  /** Ends recording and returns the CPU use over the recorded steps. */
  end(): CpuUse[] {
    this.#recorder.recording = false;
    this.#recorder.keeping = false;
    this.#sampler?.sample(false);
    const cpu = this.#stopWatch?.() ?? [];
    this.#stopWatch = null;
    return cpu;
  }
}
