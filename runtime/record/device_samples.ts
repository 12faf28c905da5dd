/**
 * Checks of pass timestamps: devices return missing, stale, zero-length, overlapping and wrong values.
 *
 * @module
 */
import { clockStep } from "./clock_step.ts";

/** Begin and end of a pass on the device's clock, in ns. */
export interface PassTimes {
  readonly begin: bigint;
  readonly end: bigint;
}

/** A pass with the timestamps that the device returned. */
export interface RawPass extends PassTimes {
  /** Earliest begin and latest end that the host's times of its submit allow; omitted if the clock is not calibrated. */
  readonly within?: PassTimes;
  /** True if the device's clock wrapped around or was reset during the pass. */
  readonly reset?: boolean;
}

/** Number of defective passes, by defect. */
export interface DefectCounts {
  /** The device wrote no begin or no end. Discarded. */
  readonly missing: number;
  /** The device's clock wrapped around or was reset during the pass. Discarded. */
  readonly reset: number;
  /** The end is later than the host saw the device done. Discarded. */
  readonly outside: number;
  /** The slot holds an old value, since nothing was written this time. Discarded. */
  readonly stale: number;
  /** Begin and end are equal. Discarded. */
  readonly zero: number;
  /** The end is before the begin. Discarded. */
  readonly negative: number;
  /** Began before the previous pass ended. Counted from that end; discarded if nothing remains. */
  readonly overlapping: number;
  /** Not longer than the step of the device's clock, so known only roughly. Used all the same. */
  readonly quantised: number;
}

export const NO_DEFECTS: DefectCounts = {
  missing: 0,
  reset: 0,
  outside: 0,
  stale: 0,
  zero: 0,
  negative: 0,
  overlapping: 0,
  quantised: 0,
};

/** Checked passes in the order of encoding. */
export interface CleanPasses {
  /** One entry per pass; `null` if the pass is unusable. */
  readonly passes: readonly (PassTimes | null)[];
  readonly defects: DefectCounts;
  /** Step of the device's clock, in ns; `null` if there are too few passes to infer it. */
  readonly resolution: number | null;
  /** Latest end so far; pass it as `since` with the next reading. */
  readonly last: bigint;
}

/**
 * Checks the passes of one reading.
 *
 * @param raw contents of the slots in the order of encoding; 0 means not written
 * @param since latest end of the earlier readings; the host has waited for the device since, so no new pass began before
 */
export function cleanPasses(raw: readonly RawPass[], since: bigint): CleanPasses {
  const counts = { ...NO_DEFECTS } as { -readonly [K in keyof DefectCounts]: number };
  let previous: PassTimes = { begin: since, end: since };
  const passes = raw.map((pass) => {
    const { defect, kept } = judge(pass, previous, since);
    if (defect !== null) counts[defect]++;
    const fresh = kept !== null || (defect === "zero" && pass.end > previous.end);
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

function judge(pass: RawPass, previous: PassTimes, since: bigint): Judgement {
  const { begin, end, within, reset } = pass;
  if (begin === 0n || end === 0n) return { defect: "missing", kept: null };
  if (reset) return { defect: "reset", kept: null };
  if (end < begin) return { defect: "negative", kept: null };
  if (within !== undefined && end > within.end) return { defect: "outside", kept: null };
  if (within !== undefined && begin < within.begin) return { defect: "stale", kept: null };
  if (begin < since) return { defect: "stale", kept: null };
  if (begin === end) return { defect: "zero", kept: null };
  if (begin === previous.begin && end === previous.end) return { defect: "stale", kept: null };
  if (end <= previous.end && begin < previous.begin) return { defect: "stale", kept: null };
  if (end <= previous.end) return { defect: "overlapping", kept: null };
  if (begin < previous.end) return { defect: "overlapping", kept: { begin: previous.end, end } };
  return { defect: null, kept: { begin, end } };
}

/** Adds the defects of two readings. */
export function addDefects(a: DefectCounts, b: DefectCounts): DefectCounts {
  return {
    missing: a.missing + b.missing,
    reset: a.reset + b.reset,
    outside: a.outside + b.outside,
    stale: a.stale + b.stale,
    zero: a.zero + b.zero,
    negative: a.negative + b.negative,
    overlapping: a.overlapping + b.overlapping,
    quantised: a.quantised + b.quantised,
  };
}
