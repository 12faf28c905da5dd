import { setImmediate } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import type { ExecutorOp } from "../engine/executor.ts";
import { takeBatch } from "../feed/context.ts";
import { type CpuUse, watchCpu } from "../record/cpu_use.ts";
import type { PassTimes } from "../record/device_samples.ts";
import type { Recorder } from "../record/recorder.ts";
import type { StepMode } from "../record/schedule.ts";
import type { Session } from "./session.ts";

/** A submit of a profiled step: which ops it carried, and when the host handed it over. */
export interface ProfiledSubmit {
  readonly firstOp: number;
  /** `performance.now()` */
  readonly time: number;
}

/** A step that was recorded with a timed pass for each op. */
export interface ProfiledStep {
  /** Counted over the profiled run. */
  readonly index: number;
  /** In the order of the executor's ops; empty where the adapter has no timestamps. */
  readonly passes: readonly PassTimes[];
  readonly submits: readonly ProfiledSubmit[];
  /** Ready batches when the step asked for one. */
  readonly hostQueue: number;
}

export interface ProfiledRun {
  readonly steps: readonly ProfiledStep[];
  /** Over the recorded steps. */
  readonly cpu: readonly CpuUse[];
  /** Extra time of a step with timestamps over one without, as a part of the latter; null without timestamps. */
  readonly cost: { readonly phases: number | null; readonly ops: number | null };
  readonly interrupted: boolean;
}

export interface ProfileOptions {
  readonly session: Session;
  readonly device: Device;
  readonly loader: Loader;
  readonly modes: readonly StepMode[];
  /** Spans of recorded steps are kept in it. */
  readonly recorder: Recorder;
  shouldStop(): boolean;
  onStep?(done: number): void;
}

/** Steps of each kind from which the cost of profiling is found. */
const COST_ROUNDS = 5;

/**
 * Runs the steps of a schedule on a snapshot of the training state, which is put back afterwards: what is measured here
 * changes neither the matrix nor the training.
 */
export async function runProfile(options: ProfileOptions): Promise<ProfiledRun> {
  const { session, device, modes, recorder } = options;
  const timestamps = device.timestamps ? new TimestampRecorder(device) : null;
  const snapshot = session.state.snapshot();
  const steps: ProfiledStep[] = [];
  let cpu: readonly CpuUse[] = [];
  let stopWatch: (() => CpuUse[]) | null = null;
  let interrupted = false;
  try {
    for (const [index, mode] of modes.entries()) {
      if ((interrupted = options.shouldStop())) break;
      recorder.keeping = mode === "active";
      if (mode === "active") stopWatch ??= watchCpu();
      const step = await profileStep(options, mode === "idle" ? null : timestamps, index);
      if (mode === "active") steps.push(step);
      options.onStep?.(index + 1);
    }
    cpu = stopWatch?.() ?? [];
    recorder.keeping = false;
    const cost = interrupted || timestamps === null
      ? { phases: null, ops: null }
      : await profilingCost(session, device, timestamps);
    await device.settle();
    return { steps, cpu, cost, interrupted };
  } finally {
    recorder.keeping = false;
    session.state.restore(snapshot);
    timestamps?.free();
  }
}

async function profileStep(
  { session, device, loader, recorder }: ProfileOptions,
  timestamps: TimestampRecorder | null,
  index: number,
): Promise<ProfiledStep> {
  const start = performance.now();
  const { hostQueue } = await takeBatch(loader, recorder, (batch) => session.upload(batch));
  let submits: ProfiledSubmit[];
  if (timestamps !== null) submits = runOps(session, device, timestamps, recorder);
  else {
    submits = [{ firstOp: 0, time: performance.now() }];
    session.runOnce();
  }
  const readStart = performance.now();
  const passes = await timestamps?.read() ?? [];
  if (timestamps !== null) recorder.span("main", "read timestamps", readStart, performance.now());
  await setImmediate();
  recorder.span("main", `step ${index}`, start, performance.now(), { step: index });
  return { index, passes, submits, hostQueue };
}

/** Runs a step with a timed pass for each op, in as many submits as the query set asks for. */
function runOps(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder,
  recorder: Recorder | null,
): ProfiledSubmit[] {
  const ops = session.executor.ops;
  const submits: ProfiledSubmit[] = [];
  let next = 0;
  while (next < ops.length) {
    const firstOp = next;
    const start = performance.now();
    const encoder = device.gpu.createCommandEncoder({ label: `ops from ${firstOp}` });
    for (; next < ops.length && timestamps.hasRoom; next++) ops[next]!.encode(encoder, timestamps.next());
    timestamps.endSubmit(encoder);
    const submitted = performance.now();
    device.submit(encoder);
    const waiting = performance.now();
    device.wait();
    recorder?.span("main", "encode", start, submitted);
    recorder?.span("main", "submit", submitted, waiting);
    recorder?.span("main", "wait", waiting, performance.now());
    submits.push({ firstOp, time: submitted });
  }
  return submits;
}

/** Compares steps on one batch without timestamps, with those of phases, and with those of ops, in turn. */
async function profilingCost(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder,
): Promise<{ phases: number; ops: number }> {
  const times = { none: [] as number[], phases: [] as number[], ops: [] as number[] };
  const kinds = {
    none: () => session.runOnce(),
    phases: () => {
      const encoder = device.gpu.createCommandEncoder({ label: "phases" });
      session.executor.encode(encoder, () => timestamps.next());
      timestamps.endSubmit(encoder);
      device.submit(encoder);
      device.wait();
    },
    ops: () => void runOps(session, device, timestamps, null),
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  for (let round = 0; round < COST_ROUNDS; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]!;
      const start = performance.now();
      kinds[name]();
      times[name].push(performance.now() - start);
      await setImmediate();
    }
  }
  await timestamps.read();
  const base = median(times.none);
  return { phases: median(times.phases) / base - 1, ops: median(times.ops) / base - 1 };
}

/** Milliseconds that the first run of each op took by itself, which compiles its shaders; the state is put back. */
export async function firstDispatches(session: Session, device: Device): Promise<Map<ExecutorOp, number>> {
  const snapshot = session.state.snapshot();
  const times = new Map<ExecutorOp, number>();
  for (const op of session.executor.ops) {
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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
