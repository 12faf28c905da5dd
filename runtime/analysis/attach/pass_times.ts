/**
 * Times of passes that may be shorter than the step of the device's clock.
 *
 * @module
 */
import type { SiteRecord } from "../../attach/records.ts";
import { median } from "../../core/statistics.ts";
import type { Pass } from "./recording.ts";

/** Minimum length of a separately timed pass, in steps of the clock: a pass that shows two steps lasts more than one. */
const STEPS_OF_A_PASS = 2;

/**
 * Steps of the clock that runs of equal dispatches must last on average. The error of a run is less than a step, so that of
 * a batch time is less than 10 %.
 */
const STEPS_OF_A_RUN = 10;

/** Relative error of lengths that were converted to ms. */
const ROUNDING = 1e-3;

/** Shortest runs that count, as a part of the longest. */
const SHORTEST_RUN = 0.5;

/** Time of each dispatch of a site. */
export interface SiteTime {
  /** Timed unit: each pass separately, or runs of equal dispatches. */
  readonly by: "pass" | "batch";
  /** Time of a dispatch, in ms. */
  of(pass: Pass): number;
}

/** Upper bound on the step of a clock in ms: passes last whole steps. 0 if nothing shows a step. */
export function stepBound(passes: readonly Pass[], resolution: number | null): number {
  if (resolution !== null) return resolution / 1e6;
  const lengths = passes.map(lengthOf);
  if (lengths.every((length) => length > 0)) return 0;
  return lengths.reduce((least, length) => length > 0 ? Math.min(least, length) : least, Infinity);
}

/**
 * Times the dispatches of each site, which are equal: each one separately where the clock is fine enough, else in batches,
 * where the length of a run of dispatches, gaps included, is divided by their number. Sites without either are left out.
 *
 * @param passes passes in the order of execution
 * @param step step of the clock in ms; see {@linkcode stepBound}
 */
export function siteTimes(passes: readonly Pass[], step: number): ReadonlyMap<SiteRecord, SiteTime> {
  const runs = Map.groupBy(runsOf(passes), ([first]) => first!.site);
  const times = new Map<SiteRecord, SiteTime>();
  for (const [site, own] of Map.groupBy(passes, ({ site }) => site)) {
    const middle = median(own.map(lengthOf));
    if (middle > 0 && middle >= STEPS_OF_A_PASS * step * (1 - ROUNDING)) {
      times.set(site, { by: "pass", of: lengthOf });
      continue;
    }
    const batch = batchTime(runs.get(site) ?? [], step);
    if (batch !== null) times.set(site, { by: "batch", of: () => batch });
  }
  return times;
}

/** Mean time of a dispatch over the longest runs; null if they are too short for the clock. */
function batchTime(runs: readonly (readonly Pass[])[], step: number): number | null {
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 0);
  const counted = runs.filter(({ length }) => length > 1 && length >= SHORTEST_RUN * longest);
  const sum = counted.reduce((ms, run) => ms + run.at(-1)!.end - run[0]!.begin, 0);
  if (sum <= 0 || sum < STEPS_OF_A_RUN * step * counted.length * (1 - ROUNDING)) return null;
  return sum / counted.reduce((number, { length }) => number + length, 0);
}

/** Returns the runs of equal dispatches in a submit that nothing interrupts. */
function runsOf(passes: readonly Pass[]): Pass[][] {
  const runs: Pass[][] = [];
  for (const pass of passes) {
    const last = runs.at(-1)?.at(-1);
    const goes = last !== undefined && last.site === pass.site && last.submit === pass.submit && pass.between === 0 &&
      pass.index === last.index + 1;
    if (goes) runs.at(-1)!.push(pass);
    else runs.push([pass]);
  }
  return runs;
}

/** Length of a pass in ms; 0 if it was within one tick of the clock. */
export function lengthOf({ begin, end }: Pass): number {
  return end - begin;
}
