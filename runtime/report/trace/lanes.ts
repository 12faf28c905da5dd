import type { Span } from "../../record/timeline.ts";

/**
 * Ticks per microsecond. Times are rounded to a power of two, because viewers add start and duration in floating point,
 * and rounding of the sum would make adjacent slices overlap.
 */
export const TICKS = 64;

/** Span on the trace's axis, in ticks. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly span: Span;
}

/** Slices that nest or follow each other, shown as a thread. */
export interface Lane {
  readonly track: string;
  /** Name of the track; further lanes of a track are numbered. */
  readonly name: string;
  readonly category: "host" | "worker" | "device" | "copy" | "cpu";
  /** Sorted by start, outer slices first. */
  readonly slices: readonly Slice[];
}

export interface Lanes {
  /** Sorted in display order. */
  readonly lanes: readonly Lane[];
  /** Number of spans left out because of a negative or infinite duration. */
  readonly dropped: number;
}

/** Converts milliseconds on the host's axis to ticks after `origin`. */
export function toTicks(time: number, origin: number): number {
  return Math.round((time - origin) * 1000 * TICKS);
}

/**
 * Sorts spans into lanes. Spans of a track that overlap without nesting go to further lanes of it, so that each keeps
 * its length.
 */
export function layOut(spans: readonly Span[], origin: number): Lanes {
  const byTrack = Map.groupBy(spans, ({ track }) => track);
  const lanes: Lane[] = [];
  let dropped = 0;
  for (const [track, own] of [...byTrack].sort(([a], [b]) => compareTracks(a, b))) {
    const slices = own
      .map((span) => ({ start: toTicks(span.start, origin), end: toTicks(span.end, origin), span }))
      .filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end) && end >= start)
      .sort((a, b) => a.start - b.start || b.end - a.end);
    dropped += own.length - slices.length;
    const parted = part(slices);
    for (const [i, slices] of parted.entries()) {
      lanes.push({ track, name: i === 0 ? track : `${track} (${i + 1})`, category: categoryOf(track), slices });
    }
  }
  return { lanes, dropped };
}

/** Assigns each slice, in order of starts, to the first lane where it nests. */
function part(slices: readonly Slice[]): Slice[][] {
  const lanes: { slices: Slice[]; open: number[] }[] = [];
  for (const slice of slices) {
    let lane = lanes.find(({ open }) => {
      while (open.length > 0 && open.at(-1)! <= slice.start) open.pop();
      return open.length === 0 || slice.end <= open.at(-1)!;
    });
    if (lane === undefined) lanes.push(lane = { slices: [], open: [] });
    lane.slices.push(slice);
    lane.open.push(slice.end);
  }
  return lanes.map(({ slices }) => slices);
}

const ORDER = [
  /^main$/,
  /^network$/,
  /^worker\b/,
  /^copies$/,
  /^device phases$/,
  /^device ops$/,
  /^device kernels$/,
  /^device ranges$/,
  /^core\b/,
  /^thread\b/,
];

function compareTracks(a: string, b: string): number {
  const rank = (track: string) => {
    const found = ORDER.findIndex((pattern) => pattern.test(track));
    return found < 0 ? ORDER.length : found;
  };
  return rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true });
}

function categoryOf(track: string): Lane["category"] {
  if (track.startsWith("device")) return "device";
  if (track.startsWith("worker")) return "worker";
  if (/^(core|thread)\b/.test(track)) return "cpu";
  return track === "copies" ? "copy" : "host";
}
