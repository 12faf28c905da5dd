import type { Span } from "../../record/timeline.ts";

/**
 * Parts of a microsecond that times are rounded to. A power of two: viewers add begin and duration in floating point, and
 * slices that touch would seem to overlap where the sum is rounded.
 */
export const TICKS = 64;

/** A span on the trace's axis, in ticks. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly span: Span;
}

/** Slices that nest or follow each other: what a viewer shows as a thread. */
export interface Lane {
  readonly track: string;
  /** The track's name; further lanes of a track are numbered. */
  readonly name: string;
  readonly category: "host" | "worker" | "device" | "copy";
  /** By start, the outer ones first. */
  readonly slices: readonly Slice[];
}

export interface Lanes {
  /** In the order in which they are shown. */
  readonly lanes: readonly Lane[];
  /** Spans with a negative or endless duration, which are left out. */
  readonly dropped: number;
}

/** Milliseconds on the host's axis as ticks after `origin`. */
export function toTicks(time: number, origin: number): number {
  return Math.round((time - origin) * 1000 * TICKS);
}

/**
 * Sorts spans onto tracks. Spans of a track that overlap without nesting go to further lanes of it, so that each keeps
 * its own length.
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

/** Gives each slice, in order of starts, to the first lane where it nests. */
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

const ORDER = [/^main$/, /^worker\b/, /^copies$/, /^device phases$/, /^device ops$/, /^device ranges$/];

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
  return track === "copies" ? "copy" : "host";
}
