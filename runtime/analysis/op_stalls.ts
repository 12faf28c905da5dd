import type { OpRecord } from "../result/ops.ts";
import type { PhaseSplit } from "../result/profile.ts";

/** An op with a call far longer than its median. */
export interface OpStall {
  readonly op: OpRecord;
  /** Longest call and median call in ms. */
  readonly worst: number;
  readonly median: number;
}

/** A gap between kernels far longer than the longest gap of other steps. */
export interface GapStall {
  /** ID of the op after it. */
  readonly before: string;
  /** The gap, and the usual length of a step's longest gap, in ms. */
  readonly worst: number;
  readonly usual: number;
}

/** A stalled call takes at least this many medians. */
const FAR = 5;
/** Smallest time beyond the median that matters, as a fraction of the medians of all ops. */
const MATTERS = 0.05;
/** Number of calls from which the median tells a stalled call from the others. */
const MIN_CALLS = 3;

/** Returns the ops whose longest call distorts means and totals, the longest first. */
export function stalledOps(ops: readonly OpRecord[]): OpStall[] {
  const step = ops.reduce((sum, { median }) => sum + (median ?? 0), 0);
  return ops.flatMap((op): OpStall[] => {
    const { calls, median, max: worst } = op;
    if (median === null || worst === null || calls < MIN_CALLS) return [];
    return worst >= FAR * median && worst - median >= MATTERS * step ? [{ op, worst, median }] : [];
  }).toSorted((a, b) => (b.worst - b.median) - (a.worst - a.median));
}

/** Returns the gaps that distort the means of phases, the longest first. */
export function stalledGaps(phases: readonly PhaseSplit[]): GapStall[] {
  const step = phases.reduce((sum, { interval }) => sum + interval, 0);
  return phases.flatMap(({ gaps }): GapStall[] => {
    if (gaps === null || gaps.usual === null || gaps.longest === null) return [];
    const { longest: { ms: worst, before }, usual } = gaps;
    return worst >= FAR * usual && worst - usual >= MATTERS * step ? [{ before, worst, usual }] : [];
  }).toSorted((a, b) => (b.worst - b.usual) - (a.worst - a.usual));
}
