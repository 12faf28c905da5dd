import type { PassTimestamps } from "../device/timestamps.ts";
import type { Executor } from "../engine/executor.ts";
import type { Feed, FeedContext, StepExecutor } from "./feed/feed.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ProfiledSteps } from "./profiled_steps.ts";
import { READ_PASSES, READ_STEPS, readTimestamps, type TimedWork } from "./profiled_submits.ts";
import type { Session } from "./session.ts";

/** A step encoded with timed dispatches, and the time of the submit that starts with it; null if it is not the first in one. */
interface TimedStep {
  readonly step: number;
  submit: number | null;
}

/** Replaces the executor in profiled steps: encodes recorded steps with a timed pass for each dispatch of their work. */
class ProfilingExecutor implements StepExecutor {
  /** Phase of each dispatch. */
  readonly phases: StepExecutor["phases"];
  /** Steps encoded with timed dispatches. `submit` is set for the first recorded step of each submit. */
  #timed: TimedStep[] = [];
  readonly #executor: Executor;
  readonly #steps: ProfiledSteps;
  readonly #work: TimedWork;
  #next = 0;
  #submitted = 0;

  constructor(executor: Executor, steps: ProfiledSteps) {
    this.#executor = executor;
    this.#steps = steps;
    this.#work = steps.work ?? executor;
    this.phases = this.#work.dispatches.map(({ phase }) => phase);
  }

  encode(encoder: GPUCommandEncoder, timestamps?: (phase: typeof this.phases[number]) => PassTimestamps | undefined) {
    const step = this.#next++;
    if (timestamps === undefined || this.#steps.mode(step) === "idle") return this.#executor.encode(encoder);
    for (const dispatch of this.#work.dispatches) dispatch.encode(encoder, timestamps(dispatch.phase));
    this.#timed.push({ step, submit: null });
  }

  /**
   * Notes the submission of the steps encoded since the last call. The first recorded one gets the arrow in the trace.
   */
  submit(time: number): void {
    const first = this.#timed.slice(this.#submitted).find(({ step }) => this.#steps.mode(step) === "active");
    if (first !== undefined) first.submit = time;
    this.#submitted = this.#timed.length;
  }

  /** Number of timed steps since the last {@linkcode ProfilingExecutor.take}. */
  get count(): number {
    return this.#timed.length;
  }

  /** Returns the timed steps since the last call. */
  take(): readonly TimedStep[] {
    const timed = this.#timed;
    this.#timed = [];
    this.#submitted = 0;
    return timed;
  }
}

/**
 * Profiles the steps of a schedule with the variant's own feed and in its blocks, so that profiled steps wait, read losses
 * and stage batches like the measured ones. With a sink, blocks are whole sinks; steps of the last one beyond the schedule
 * are not recorded.
 *
 * @returns true if it was interrupted
 */
export async function profileFed(options: {
  readonly session: Session;
  readonly steps: ProfiledSteps;
  readonly feed: Feed;
  readonly context: FeedContext;
  readonly recorder: Recorder;
  /** Steps of a measured block. */
  readonly blockSteps: number;
  shouldStop(): boolean;
  onStep?(done: number): void;
}): Promise<boolean> {
  const { session, steps, feed, context: { timestamps }, recorder } = options;
  const profiling = new ProfilingExecutor(session.executor, steps);
  const dispatches = profiling.phases.length;
  const read = async () => {
    const passes = await readTimestamps(timestamps, recorder);
    for (const [i, { step, submit }] of profiling.take().entries()) {
      const submits = submit === null ? [] : [{ firstPass: 0, time: submit }];
      steps.add(step, passes.slice(i * dispatches, (i + 1) * dispatches), submits);
    }
  };
  const unit = Math.max(1, session.compiled.sink);
  const wholeUnits = (count: number) => Math.max(1, Math.ceil(count / unit)) * unit;
  const most = wholeUnits(Math.min(options.blockSteps, READ_PASSES / dispatches));
  await timestamps?.read(); // discards those of earlier steps
  let first = 0;
  let interrupted = false;
  while (first < steps.count && !interrupted && !(interrupted = options.shouldStop())) {
    const count = Math.min(most, wholeUnits(steps.count - first));
    let start = performance.now();
    // The spans of a sink end after its last step, so sinks are kept by the block
    const each = feed.amortised ? count : 1;
    steps.begin(first, first + each, profiling.count);
    const fed = await feed.run(count, {
      executor: profiling,
      onSubmit: (time) => profiling.submit(time),
      onStep: (done) => {
        if (!feed.amortised) {
          const [step, end] = [first + done - 1, performance.now()];
          recorder.span("main", `step ${step}`, start, end, { step });
          start = end;
          // The loss readback at the end of the block belongs to its last step
          if (done < count) steps.begin(first + done, first + done + 1, profiling.count);
        }
        options.onStep?.(Math.min(steps.count, first + done));
      },
    });
    interrupted = fed.interrupted;
    const end = first + fed.steps.length;
    if (timestamps === null) { for (let step = first; step < end; step++) steps.add(step, [], []); }
    first = end;
    if (profiling.count >= READ_STEPS || profiling.count * dispatches >= READ_PASSES) await read();
  }
  if (profiling.count > 0) await read();
  return interrupted;
}
