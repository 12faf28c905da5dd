import type { TimestampRecorder } from "../device/timestamps.ts";
import { recordCopy } from "../record/copies.ts";
import type { RawPass } from "../record/device_samples.ts";
import type { Recorder } from "../record/recorder.ts";

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
