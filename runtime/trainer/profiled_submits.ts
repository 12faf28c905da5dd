import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Session } from "./session.ts";
import type { TimedWork } from "./timed_work.ts";

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
