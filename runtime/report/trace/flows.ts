import type { Flow } from "../../record/timeline.ts";
import { type Lane, type Slice, toTicks } from "./lanes.ts";

/** End of an arrow: a moment within a slice. */
export interface ArrowEnd {
  /** Index of the lane. */
  readonly lane: number;
  /** In ticks. */
  readonly time: number;
}

export interface Arrow {
  readonly name: string;
  readonly from: ArrowEnd;
  readonly to: ArrowEnd;
}

/**
 * Finds the slices that flows connect, since viewers show only arrows between slices. Arrows are clamped so that they
 * never lead back in time, which the uncertainty of the clocks can cause; flows without slices are dropped.
 */
export function bindFlows(
  flows: readonly Flow[],
  lanes: readonly Lane[],
  origin: number,
): { arrows: readonly Arrow[]; dropped: number } {
  const arrows: Arrow[] = [];
  for (const { name, from, to } of flows) {
    const source = find(lanes, from.track, toTicks(from.time, origin));
    const target = find(lanes, to.track, toTicks(to.time, origin));
    if (source === null || target === null) continue;
    const end = inside(target.slice, toTicks(to.time, origin));
    const wanted = inside(source.slice, toTicks(from.time, origin));
    const start = Math.max(source.slice.start, Math.min(wanted, end));
    const last = Math.max(start, end);
    if (last > target.slice.end) continue;
    arrows.push({ name, from: { lane: source.lane, time: start }, to: { lane: target.lane, time: last } });
  }
  return { arrows, dropped: flows.length - arrows.length };
}

/** Clamps a time to a slice, excluding its end, where the next slice may start. */
function inside({ start, end }: Slice, time: number): number {
  return Math.min(Math.max(time, start), Math.max(start, end - 1));
}

/** Returns the innermost slice at a time on any lane of a track. */
function find(lanes: readonly Lane[], track: string, time: number): { lane: number; slice: Slice } | null {
  let found: { lane: number; slice: Slice } | null = null;
  for (const [lane, { track: own, slices }] of lanes.entries()) {
    if (own !== track) continue;
    const slice = innermost(slices, time);
    if (slice !== null && (found === null || slice.start > found.slice.start)) found = { lane, slice };
  }
  return found;
}

function innermost(slices: readonly Slice[], time: number): Slice | null {
  let [low, high] = [0, slices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle]!.start <= time) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i--) if (slices[i]!.end >= time) return slices[i]!;
  return null;
}
