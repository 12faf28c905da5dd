import { setImmediate } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import type { Executor, ExecutorOp } from "../engine/executor.ts";
import { recordLosses, takeStep } from "./feed/feed.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import { profileFed } from "./profile_fed.ts";
import { type ProfiledSteps, type RecordedSteps, recordSteps } from "./profiled_steps.ts";
import {
  type ProfiledSubmit,
  READ_PASSES,
  READ_STEPS,
  readTimestamps,
  runDispatches,
  runPhases,
  type TimedWork,
  timedWork,
} from "./profiled_submits.ts";
import { type ProfilingCost, profilingCost } from "./profiling_cost.ts";
import type { Session } from "./session.ts";

export interface ProfiledRun extends RecordedSteps {
  /** Overhead of profiling; null without timestamps. */
  readonly cost: ProfilingCost | null;
}

export interface ProfileOptions {
  readonly session: Session;
  readonly device: Device;
  readonly loader: Loader;
  readonly request: ProfileRequest;
  /** Keeps the spans of the first recorded steps. */
  readonly recorder: Recorder;
  /** Steps of a measured block, at whose end losses are read. */
  readonly blockSteps?: number;
  /** `step` reads each loss after its step. */
  readonly monitor?: "block" | "step";
  shouldStop(): boolean;
  onStep?(done: number): void;
}

/**
 * Profiles the steps of a schedule and restores the training state afterwards, so that profiling changes neither the
 * matrix nor training. The steps use the feed of the measured steps, unless a pass per dispatch needs more timestamps than
 * a submit can hold.
 */
export async function runProfile(options: ProfileOptions): Promise<ProfiledRun> {
  const { session, device } = options;
  const { executor, fed } = session;
  const decay = await session.decayExecutor();
  const work = timedWork(executor, decay);
  const timestamps = device.timestamps ? new TimestampRecorder(device) : null;
  const snapshot = session.state.snapshot();
  try {
    if (decay !== null) compile(decay, device);
    const fits = fed !== null && work.dispatches.length <= TimestampRecorder.passesPerSubmit;
    const recorded = await recordSteps(
      options,
      work,
      (steps) =>
        fits
          ? profileFed({ blockSteps: READ_STEPS, ...options, steps, ...fed })
          : profileEach(options, steps, timestamps),
    );
    const cost = recorded.interrupted || timestamps === null ? null : await profilingCost(session, device, timestamps);
    await device.settle();
    return { ...recorded, cost };
  } finally {
    session.state.restore(snapshot);
    timestamps?.free();
    decay?.free();
  }
}

/** Runs an executor once, since the first dispatch compiles its shaders. */
export function compile(executor: Executor, device: Device): void {
  const encoder = device.gpu.createCommandEncoder({ label: "compile" });
  executor.encode(encoder);
  device.submit(encoder);
  device.wait();
}

/** Profiles steps in several submits each. Returns true if it was interrupted. */
async function profileEach(
  options: ProfileOptions,
  steps: ProfiledSteps,
  timestamps: TimestampRecorder | null,
): Promise<boolean> {
  const { session: { executor, state }, recorder, monitor, blockSteps = READ_STEPS } = options;
  const work = steps.work ?? executor;
  const dispatches = work.dispatches.length;
  const unread: { step: number; submits: readonly ProfiledSubmit[]; passes: number }[] = [];
  const read = async () => {
    const passes = await readTimestamps(timestamps, recorder);
    let next = 0;
    for (const { step, submits, passes: own } of unread.splice(0)) {
      steps.add(step, passes.slice(next, next += own), submits);
    }
  };
  let unreadLosses = 0;
  for (let step = 0; step < steps.count; step++) {
    if (options.shouldStop()) {
      await read();
      return true;
    }
    const timed = timestamps !== null && steps.mode(step) !== "idle";
    steps.begin(step, step + 1, unread.length);
    const submits = await runStep(options, work, timed ? timestamps : null, step);
    unread.push({ step, submits, passes: timed ? dispatches : 0 });
    state.steps++;
    unreadLosses++;
    const blockEnds = (step + 1) % blockSteps === 0 || step === steps.count - 1;
    if (executor.plan.hasLoss && (monitor === "step" || blockEnds)) {
      const start = performance.now();
      await state.outcomes(state.steps - unreadLosses, unreadLosses);
      recordLosses(recorder, unreadLosses, start);
      unreadLosses = 0;
    }
    const full = unread.length === READ_STEPS || unread.length * dispatches >= READ_PASSES;
    if (full || step === steps.count - 1) await read();
    options.onStep?.(step + 1);
  }
  return false;
}

async function runStep(
  { session, device, loader, recorder }: ProfileOptions,
  work: TimedWork,
  timestamps: TimestampRecorder | null,
  step: number,
): Promise<readonly ProfiledSubmit[]> {
  const start = performance.now();
  await takeStep(loader, recorder, session.compiled.plan.accumulate, (tensors, n) => session.upload(tensors, n));
  const submits = timestamps === null
    ? [runPhases(session, device, null, recorder)]
    : runDispatches(work, device, timestamps, recorder);
  await setImmediate();
  recorder.span("main", `step ${step}`, start, performance.now(), { step });
  return submits;
}

/** Returns the first-run time of each op in ms, which includes shader compilation. Restores the training state. */
export async function firstDispatches(
  session: Session,
  device: Device,
  ops: readonly ExecutorOp[],
  onOp: (done: number, all: number) => void = () => {},
): Promise<Map<ExecutorOp, number>> {
  session.executor.newShaders(); // are all run below
  const snapshot = session.state.snapshot();
  const times = new Map<ExecutorOp, number>();
  for (const op of ops) {
    onOp(times.size, ops.length);
    const encoder = device.gpu.createCommandEncoder({ label: `first ${op.nodeId}` });
    op.encode(encoder);
    const start = performance.now();
    device.submit(encoder);
    device.wait();
    times.set(op, performance.now() - start);
  }
  session.state.restore(snapshot);
  await device.settle();
  return times;
}
