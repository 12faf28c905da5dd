import type { CpuLanes } from "../record/cpu_lanes.ts";
import type { RawPass } from "../record/device_samples.ts";
import { OpStatistics, type StepPasses } from "../record/op_statistics.ts";
import type { Recorder } from "../record/recorder.ts";
import { type ProfileRequest, stepCount, type StepMode, stepMode } from "../record/schedule.ts";
import { type CpuUse, watchCpu } from "../record/cpu_use.ts";
import { CpuSampler } from "./cpu_sampler.ts";
import type { ProfiledSubmit, TimedWork } from "./profiled_submits.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import { batchSpans } from "./feed/batch_spans.ts";

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

/** Steps that were recorded, and the use of cores and threads meanwhile. */
export interface RecordedSteps {
  readonly steps: ProfiledSteps;
  /** CPU use over the recorded steps. */
  readonly cpu: readonly CpuUse[];
  /** Lanes of cores and threads in the steps kept in full; null where the system reports nothing. */
  readonly lanes: CpuLanes | null;
  readonly interrupted: boolean;
}

/**
 * Records the steps of a schedule, with the work of the loader's threads.
 *
 * @param work ops and dispatches of a step; null if nothing runs on the device
 * @param run runs the steps; returns true if it was interrupted
 */
export async function recordSteps(
  { loader, request, recorder, shouldStop }: {
    readonly loader: Loader;
    readonly request: ProfileRequest;
    readonly recorder: Recorder;
    shouldStop(): boolean;
  },
  work: TimedWork | null,
  run: (steps: ProfiledSteps) => Promise<boolean>,
): Promise<RecordedSteps> {
  const sampler = await CpuSampler.start();
  const steps = new ProfiledSteps(request, recorder, work, sampler);
  try {
    await traceBatches(loader, shouldStop);
    const interrupted = await run(steps);
    await keepMade(loader, recorder);
    return { steps, cpu: steps.end(), lanes: await sampler?.stop() ?? null, interrupted };
  } finally {
    steps.end();
    await sampler?.stop();
    loader.trace(false);
  }
}

/** Maximum time in ms to wait until the queue is refilled. */
const REFILL_MS = 2000;

/**
 * Makes the loader trace its batches, and drops the batches that it made before, whose traces would be empty. Then
 * waits up to 2 s until the queue is as full as before.
 */
async function traceBatches(loader: Loader, shouldStop: () => boolean): Promise<void> {
  loader.trace(true);
  if (loader.slots === null) return;
  const depth = loader.queueDepth();
  // Drop ready batches and those in progress
  for (let i = 0; i < Math.min(loader.slots, depth + loader.numWorkers) && !shouldStop(); i++) {
    (await loader.next()).release();
  }
  const end = performance.now() + REFILL_MS;
  while (loader.queueDepth() < depth && performance.now() < end && !shouldStop()) await sleep(2);
}

/** Adds the batches to the trace that workers made during the profiled steps and that no step has taken. Drops them. */
async function keepMade(loader: Loader, recorder: Recorder): Promise<void> {
  if (loader.slots === null || !recorder.keeping) return;
  const end = performance.now();
  for (let ready = loader.queueDepth(); ready > 0; ready--) {
    const batch = await loader.next();
    const { making, inside } = batchSpans(batch, end, end);
    batch.release();
    if (making.start >= end) continue;
    recorder.keep(making);
    for (const span of inside) recorder.keepDetail(span);
  }
}
