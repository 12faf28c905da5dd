import type { Recorder } from "./recorder.ts";

/** Copies between host and device in the timeline. Those of the profiler are absent from measured steps. */
const COPIES = {
  batch: "batch to device",
  losses: "losses to host",
  timestamps: "timestamps to host (profiler)",
} as const;

/** Adds a copy to the trace. Its times are those of the host's call, in ms: copies have no timestamps on the device. */
export function recordCopy(
  recorder: Recorder | null,
  copy: keyof typeof COPIES,
  start: number,
  end: number,
  bytes: number,
): void {
  recorder?.keep({ track: "copies", name: COPIES[copy], start, end, args: { bytes, clock: "host" } });
}
