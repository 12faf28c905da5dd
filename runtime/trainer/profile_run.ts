import { setImmediate } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import type { ExecutorOp } from "../engine/executor.ts";
import { takeBatch } from "../feed/context.ts";
import { type CpuUse, watchCpu } from "../record/cpu_use.ts";
import type { PassTimes } from "../record/device_samples.ts";
import { extraTime } from "../record/extra_time.ts";
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

/** Extra time of a step with timestamps over one without, as a part of the latter. */
export interface ProfilingCost {
  readonly phases: number;
  readonly ops: number;
  readonly uncertainty: { readonly phases: number; readonly ops: number };
}

export interface ProfiledRun {
  readonly steps: readonly ProfiledStep[];
  /** Over the recorded steps. */
  readonly cpu: readonly CpuUse[];
  /** Null without timestamps. */
  readonly cost: ProfilingCost | null;
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

/** Rounds from which the cost of profiling is found: more where they are short, until this time has passed. */
const COST_ROUNDS = { least: 5, most: 40 } as const;
const COST_MS = 1500;

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
    const cost = interrupted || timestamps === null ? null : await profilingCost(session, device, timestamps);
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
  const submits = timestamps === null
    ? [runPhases(session, device, null, recorder)]
    : runOps(session, device, timestamps, recorder);
  const readStart = performance.now();
  const passes = await timestamps?.read() ?? [];
  if (timestamps !== null) {
    const end = performance.now();
    recorder.span("main", "read timestamps", readStart, end);
    const args = { bytes: 16 * passes.length };
    recorder.keep({ track: "copies", name: "device to host (host time)", start: readStart, end, args });
  }
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
    const time = runSubmit(device, recorder, `ops from ${firstOp}`, (encoder) => {
      for (; next < ops.length && timestamps.hasRoom; next++) ops[next]!.encode(encoder, timestamps.next());
      timestamps.endSubmit(encoder);
    });
    submits.push({ firstOp, time });
  }
  return submits;
}

/** Runs a step as the measured ones are run: a pass for each phase. */
function runPhases(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder | null,
  recorder: Recorder | null,
): ProfiledSubmit {
  const time = runSubmit(device, recorder, "phases", (encoder) => {
    session.executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
    timestamps?.endSubmit(encoder);
  });
  return { firstOp: 0, time };
}

/** Encodes, submits and waits; returns when it was submitted. */
function runSubmit(
  device: Device,
  recorder: Recorder | null,
  label: string,
  encode: (encoder: GPUCommandEncoder) => void,
): number {
  const start = performance.now();
  const encoder = device.gpu.createCommandEncoder({ label });
  encode(encoder);
  const submitted = performance.now();
  device.submit(encoder);
  const waiting = performance.now();
  device.wait();
  recorder?.span("main", "encode", start, submitted);
  recorder?.span("main", "submit", submitted, waiting);
  recorder?.span("main", "wait", waiting, performance.now());
  return submitted;
}

/**
 * Compares steps on one batch without timestamps, with those of phases, and with those of ops: all three in each round,
 * in turns, so that what else the machine does falls on all of them.
 */
async function profilingCost(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder,
): Promise<ProfilingCost> {
  const kinds = [
    () => runPhases(session, device, null, null),
    () => runPhases(session, device, timestamps, null),
    () => runOps(session, device, timestamps, null),
  ];
  const rounds: number[][] = [];
  const start = performance.now();
  while (
    rounds.length < COST_ROUNDS.least || (rounds.length < COST_ROUNDS.most && performance.now() - start < COST_MS)
  ) {
    const times = kinds.map(() => 0);
    for (let i = 0; i < kinds.length; i++) {
      const kind = (i + rounds.length) % kinds.length;
      const begin = performance.now();
      kinds[kind]!();
      times[kind] = performance.now() - begin;
      await setImmediate();
    }
    rounds.push(times);
    await timestamps.read(); // no more than a round's values are kept
  }
  const [phases, ops] = [1, 2].map((kind) => extraTime(rounds.map((times) => [times[0]!, times[kind]!])));
  return {
    phases: phases!.value,
    ops: ops!.value,
    uncertainty: { phases: phases!.uncertainty, ops: ops!.uncertainty },
  };
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
