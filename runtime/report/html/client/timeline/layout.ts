import type { Timeline, TimelineSpan } from "./decode.ts";

export const ROW_HEIGHT = 17;
export const COUNTER_HEIGHT = 26;
const GAP = 7;
const AXIS_HEIGHT = 20;

/** Positions of tracks and counters from the top, in pixels. */
export interface TimelineLayout {
  readonly tracks: readonly number[];
  readonly counters: readonly number[];
  readonly height: number;
}

export function layOutTimeline({ tracks, counters }: Timeline): TimelineLayout {
  let top = AXIS_HEIGHT;
  const advance = (height: number) => {
    const at = top;
    top += height + GAP;
    return at;
  };
  return {
    tracks: tracks.map(({ rows }) => advance(rows.length * ROW_HEIGHT)),
    counters: counters.map(() => advance(COUNTER_HEIGHT)),
    height: top,
  };
}

/** Returns the span at a time and a height; null without one. */
export function spanAt(
  timeline: Timeline,
  layout: TimelineLayout,
  time: number,
  y: number,
  slack: number,
): TimelineSpan | null {
  for (const [i, { rows }] of timeline.tracks.entries()) {
    const row = Math.floor((y - layout.tracks[i]!) / ROW_HEIGHT);
    const spans = rows[row];
    if (y < layout.tracks[i]! || spans === undefined) continue;
    const found = spans[firstEndingAfter(spans, time - slack)];
    return found !== undefined && found.start <= time + slack ? found : null;
  }
  return null;
}

/** Returns the index of the first span that ends after a time; spans must not overlap. */
export function firstEndingAfter(spans: readonly TimelineSpan[], time: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.end <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
