import type { PhaseSplit } from "../result/schema.ts";

/** A residual above this fraction of the phase is explained. */
export const SIGNIFICANT_RESIDUAL = 0.05;
/** A stall is a gap of at least this many times the mean of the other gaps. */
const STALL_RATIO = 5;
/** Fewest gaps that show which of them is unusual. */
const MIN_GAPS = 4;

/** Time between the dispatches of a phase; medians over the profiled steps in ms. */
export interface Residual {
  readonly interval: number;
  readonly ops: number;
  /** Gaps of a step, their sum between submits, and the longest of a step. */
  readonly gaps: { readonly count: number; readonly submits: number; readonly longest: number };
  /** Median of the phase in the measured steps, which run it as one pass; null if not measured. */
  readonly measured: number | null;
}

/**
 * Returns the cause of most of a phase's residual, or null if the residual is small or its cause unknown:
 *
 * - `stall`: one gap of a step, far longer than the others
 * - `submits`: the gaps between the submits of a step, which has more dispatches than a query set holds
 * - `launches`: gaps between the kernels that the measured steps have too
 * - `timestamps`: gaps that the measured steps do not have, since they do not time each dispatch
 */
export function residualCause({ interval, ops, gaps, measured }: Residual): PhaseSplit["cause"] {
  const residual = interval - ops;
  if (residual <= SIGNIFICANT_RESIDUAL * interval) return null;
  const half = residual / 2;
  const rest = residual - gaps.longest;
  const unusual = gaps.count >= MIN_GAPS && gaps.longest >= STALL_RATIO * rest / (gaps.count - 1);
  if (gaps.submits > half) return "submits";
  if (gaps.longest > half && unusual) return "stall";
  if (measured === null) return null;
  return measured - ops > half ? "launches" : "timestamps";
}
