import type { OpRecord } from "../result/ops.ts";

/** An op with a call far longer than its median. */
export interface OpStall {
  readonly op: OpRecord;
  /** Longest call and median call in ms. */
  readonly worst: number;
  readonly median: number;
}

/** A stalled call takes at least this many medians. */
const FAR = 5;
/** Smallest time beyond the median that matters, as a fraction of the medians of all ops. */
const MATTERS = 0.05;
/** Number of calls from which the median tells a stalled call from the others. */
const FEWEST_CALLS = 3;

/** Returns the ops whose longest call distorts means and totals, the longest first. */
export function stalledOps(ops: readonly OpRecord[]): OpStall[] {
  const step = ops.reduce((sum, { median }) => sum + (median ?? 0), 0);
  return ops.flatMap((op): OpStall[] => {
    const { calls, median, max: worst } = op;
    if (median === null || worst === null || calls < FEWEST_CALLS) return [];
    return worst >= FAR * median && worst - median >= MATTERS * step ? [{ op, worst, median }] : [];
  }).toSorted((a, b) => (b.worst - b.median) - (a.worst - a.median));
}
