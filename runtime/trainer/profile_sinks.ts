import type { PassTimestamps } from "../device/timestamps.ts";
import type { Executor } from "../engine/executor.ts";
import type { Feed, FeedContext, StepExecutor } from "../feed/feed.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ProfiledSteps } from "./profiled_steps.ts";
import type { Session } from "./session.ts";

/** Replaces the executor while sinks are profiled: encodes recorded steps with a timed pass for each op. */
class ProfilingExecutor implements StepExecutor {
  /** Phase of each op. */
  readonly phases: StepExecutor["phases"];
  /** Steps encoded with timed ops. `submit` is set for the first recorded step of each submit. */
  readonly timed: { readonly step: number; submit: number | null }[] = [];
  readonly #executor: Executor;
  readonly #steps: ProfiledSteps;
  #next: number;
  #submitted = 0;

  /** @param first index of the first step */
  constructor(executor: Executor, steps: ProfiledSteps, first: number) {
    this.phases = executor.ops.map(({ phase }) => phase);
    this.#executor = executor;
    this.#steps = steps;
    this.#next = first;
  }

  encode(encoder: GPUCommandEncoder, timestamps?: (phase: typeof this.phases[number]) => PassTimestamps | undefined) {
    const step = this.#next++;
    if (timestamps === undefined || this.#steps.mode(step) === "idle") return this.#executor.encode(encoder);
    for (const op of this.#executor.ops) op.encode(encoder, timestamps(op.phase));
    this.timed.push({ step, submit: null });
  }

  /**
   * Notes the submission of the steps encoded since the last call. The first recorded one gets the arrow in the trace.
   */
  submit(time: number): void {
    const first = this.timed.slice(this.#submitted).find(({ step }) => this.#steps.mode(step) === "active");
    if (first !== undefined) first.submit = time;
    this.#submitted = this.timed.length;
  }
}

/**
 * Profiles the steps of a schedule with the variant's own feed, in whole sinks, so that the queue on the device is that
 * of the measured steps. Steps of the last sink beyond the schedule are not recorded.
 *
 * @returns true if it was interrupted
 */
export async function profileSinks(options: {
  readonly session: Session;
  readonly steps: ProfiledSteps;
  readonly feed: Feed;
  readonly context: FeedContext;
  readonly recorder: Recorder;
  shouldStop(): boolean;
  onStep?(done: number): void;
}): Promise<boolean> {
  const { session, steps, feed, context, recorder } = options;
  const { sink } = session.compiled;
  const { timestamps } = context;
  const ops = session.executor.ops.length;
  for (let first = 0; first < steps.count; first += sink) {
    if (options.shouldStop()) return true;
    const profiling = new ProfilingExecutor(session.executor, steps, first);
    steps.begin(first, first + sink);
    const { steps: ran, interrupted } = await feed.run(sink, {
      executor: profiling,
      onSubmit: (time) => profiling.submit(time),
      onStep: (done) => options.onStep?.(Math.min(steps.count, first + done)),
    });
    const readStart = performance.now();
    const passes = await timestamps?.read() ?? [];
    const [end, args] = [performance.now(), { bytes: 16 * passes.length }];
    if (passes.length > 0) {
      recorder.span("main", "read timestamps", readStart, end);
      recorder.keep({ track: "copies", name: "device to host (host time)", start: readStart, end, args });
    }
    for (const [i, { step, submit }] of profiling.timed.entries()) {
      const submits = submit === null ? [] : [{ firstOp: 0, time: submit }];
      steps.add(step, passes.slice(i * ops, (i + 1) * ops), submits);
    }
    if (timestamps === null) {
      for (let step = first; step < first + ran.length; step++) steps.add(step, [], []);
    }
    if (interrupted) return true;
  }
  return false;
}
