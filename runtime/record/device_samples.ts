/**
 * Timestamps of passes as devices really give them, sorted into those that can be used and those that cannot, by what
 * is wrong with them (PLATFORM, "Timestamp pitfalls").
 *
 * @module
 */
import { clockStep } from "./clock_step.ts";

/** Begin and end of a pass on the device's clock: nanoseconds. */
export interface PassTimes {
  readonly begin: bigint;
  readonly end: bigint;
}

/** Passes that were not as they should be, by what was wrong with them. */
export interface DefectCounts {
  /** The device wrote no begin or no end. Left out. */
  readonly missing: number;
  /** An old value: nothing was written into the slot this time. Left out. */
  readonly stale: number;
  /** Begin and end are the same. Left out. */
  readonly zero: number;
  /** The end lies before the begin. Left out. */
  readonly negative: number;
  /** Began before the pass before it ended, and counts from that end on; left out if nothing remains. */
  readonly overlapping: number;
  /** No longer than the step of the device's clock, so known only roughly. Counts nevertheless. */
  readonly quantised: number;
}

export const NO_DEFECTS: DefectCounts = {
  missing: 0,
  stale: 0,
  zero: 0,
  negative: 0,
  overlapping: 0,
  quantised: 0,
};

/** Passes in the order in which they were encoded. */
export interface CleanPasses {
  /** As many as were given; `null` where a pass cannot be used. */
  readonly passes: readonly (PassTimes | null)[];
  readonly defects: DefectCounts;
  /** The step of the device's clock: ns; `null` where there are too few passes to tell. */
  readonly resolution: number | null;
  /** The latest end that was seen: `since` of the passes that follow. */
  readonly last: bigint;
}

/**
 * Sorts out the passes of one reading.
 *
 * @param raw what the slots held, in the order of encoding; 0 where nothing was written
 * @param since the latest end of the readings before; the device was waited for since, so no new pass began before it
 */
export function cleanPasses(raw: readonly PassTimes[], since: bigint): CleanPasses {
  const counts = { ...NO_DEFECTS } as { -readonly [K in keyof DefectCounts]: number };
  let previous: PassTimes = { begin: since, end: since };
  const passes = raw.map((pass) => {
    const { defect, kept } = judge(pass, previous, since);
    if (defect !== null) counts[defect]++;
    const fresh = kept !== null || defect === "zero";
    if (fresh) previous = pass;
    return kept;
  });
  const resolution = clockStep(passes.flatMap((pass, i) => pass === null ? [] : [raw[i]!.begin, raw[i]!.end]));
  if (resolution !== null && resolution > 1) {
    const step = BigInt(Math.ceil(resolution));
    counts.quantised = passes.filter((pass) => pass !== null && pass.end - pass.begin <= step).length;
  }
  return { passes, defects: counts, resolution, last: previous.end };
}

interface Judgement {
  readonly defect: keyof DefectCounts | null;
  readonly kept: PassTimes | null;
}

function judge(pass: PassTimes, previous: PassTimes, since: bigint): Judgement {
  const { begin, end } = pass;
  if (begin === 0n || end === 0n) return { defect: "missing", kept: null };
  if (end < begin) return { defect: "negative", kept: null };
  if (begin < since || (begin === previous.begin && end === previous.end)) return { defect: "stale", kept: null };
  if (end <= previous.end && begin < previous.begin) return { defect: "stale", kept: null };
  if (begin === end) return { defect: "zero", kept: null };
  if (end <= previous.end) return { defect: "overlapping", kept: null };
  if (begin < previous.end) return { defect: "overlapping", kept: { begin: previous.end, end } };
  return { defect: null, kept: pass };
}

/** Defects of several readings together. */
export function addDefects(a: DefectCounts, b: DefectCounts): DefectCounts {
  return {
    missing: a.missing + b.missing,
    stale: a.stale + b.stale,
    zero: a.zero + b.zero,
    negative: a.negative + b.negative,
    overlapping: a.overlapping + b.overlapping,
    quantised: a.quantised + b.quantised,
  };
}
