import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Session } from "./session.ts";
import type { Executor, ExecutorDispatch, ExecutorOp } from "../engine/executor.ts";
import { recordCopy } from "../record/copies.ts";
import type { RawPass } from "../record/device_samples.ts";

/** A submit of a profiled step: its first pass and the time of submission. */
export interface ProfiledSubmit {
  readonly firstPass: number;
  /** Time of submission on the `performance.now()` axis. */
  readonly time: number;
}

/** Runs a step with a timed pass for each dispatch, in as many submits as the query set requires. */
export function runDispatches(
  { dispatches }: Pick<TimedWork, "dispatches">,
  device: Device,
  timestamps: TimestampRecorder,
  recorder: Recorder | null,
): ProfiledSubmit[] {
  const submits: ProfiledSubmit[] = [];
  let next = 0;
  while (next < dispatches.length) {
    const firstPass = next;
    const time = runSubmit(device, recorder, `dispatches from ${firstPass}`, (encoder) => {
      for (; next < dispatches.length && timestamps.hasRoom; next++) {
        dispatches[next]!.encode(encoder, timestamps.next());
      }
      timestamps.endSubmit(encoder);
    });
    submits.push({ firstPass, time });
  }
  return submits;
}

/** Runs a step with a pass for each phase, like the measured steps. */
export function runPhases(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder | null,
  recorder: Recorder | null,
): ProfiledSubmit {
  const time = runSubmit(device, recorder, "phases", (encoder) => {
    session.executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
    timestamps?.endSubmit(encoder);
  });
  return { firstPass: 0, time };
}

/** Encodes, submits and waits. Returns the time of submission. */
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

/** Work of a profiled step that is timed: a pass for each dispatch. */
export interface TimedWork {
  readonly ops: readonly ExecutorOp[];
  /** Dispatches with the indices of their ops. */
  readonly dispatches: readonly ExecutorDispatch[];
}

/**
 * Returns the work of a step and, after it, weight decay alone, which is an op of the update.
 *
 * @param decay null without weight decay
 */
export function timedWork(step: Executor, decay: Executor | null): TimedWork {
  if (decay === null) return step;
  const more = decay.dispatches.map((dispatch) => ({ ...dispatch, op: dispatch.op + step.ops.length }));
  return { ops: [...step.ops, ...decay.ops], dispatches: [...step.dispatches, ...more] };
}

/**
 * Steps or passes after which timestamps are read back, at the end of a block. A readback costs 10 ms, because Deno sleeps.
 */
export const READ_STEPS = 32;
export const READ_PASSES = 32_768;

/** Name of the profiler's own work on the host. */
export const READ_TIMESTAMPS = "read timestamps";

/** Reads the timestamps since the last call, and records the copy as one of the profiler's own. */
export async function readTimestamps(timestamps: TimestampRecorder | null, recorder: Recorder): Promise<RawPass[]> {
  const start = performance.now();
  const passes = await timestamps?.read() ?? [];
  if (passes.length === 0) return passes;
  const end = performance.now();
  recorder.span("main", READ_TIMESTAMPS, start, end);
  recordCopy(recorder, "timestamps", start, end, 16 * passes.length);
  return passes;
}
