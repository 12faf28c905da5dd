import type { Recorder } from "./recorder.ts";

/** Copies between host and device in the timeline. Those of the profiler are absent from measured steps. */
const COPIES = {
  batch: "batch to device",
  losses: "losses to host",
  timestamps: "timestamps to host (profiler)",
} as const;

/** When the host's call that uploads a field of a batch began and ended, in ms. */
export interface FieldUpload {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the name of the spans in which a field of the batch is uploaded, which are parts of `let data`. */
export function uploadOf(field: string): string {
  return `let data: ${field}`;
}

/** Returns the field that spans of this name upload; null for other names. */
export function fieldOf(span: string): string | null {
  const prefix = uploadOf("");
  return span.startsWith(prefix) ? span.slice(prefix.length) : null;
}

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
