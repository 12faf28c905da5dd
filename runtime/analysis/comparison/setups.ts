/**
 * Estimates over set-ups. An arm is set up again every few rounds, and each set-up may have its own offset, which all of
 * its rounds share: the set-up is then the unit of the test, as repeats are of no use below the level that varies (T.
 * Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013).
 *
 * @module
 */
import { estimateLogs, geometricMean, LEVEL, type LogEstimate } from "./estimate.ts";
import { type Deviation, studentMean } from "./student.ts";
import { roundsToReject, winsorisedMean } from "./winsorised.ts";

/** Number of set-ups, or processes, from which what they show of their spread is enough. */
export const ENOUGH_SETUPS = 4;

/**
 * Smallest standard deviation between set-ups that is assumed for a speed-up with fewer than {@linkcode ENOUGH_SETUPS}: two
 * set-ups of an arm that is fast or slow at random agree half of the time, and then show no spread at all.
 */
const MIN_SPREAD = 0.03;

/** Log of a speed-up in a round. */
export interface Difference {
  readonly log: number;
  /** Number of the set-up that the round ran with. */
  readonly setup: number;
}

/** Standard deviations of the log of a speed-up. */
export interface Spread {
  /** Between set-ups, beyond what their rounds explain; with one round each, of both together. Null for a single set-up. */
  readonly setups: number | null;
  /** Between the rounds of a set-up; null where each has one round. */
  readonly rounds: number | null;
}

export interface EstimateOptions {
  /** Level of the interval. */
  readonly level?: number;
  /** Number of variants tested together, which decides how many set-ups an exact test needs. */
  readonly tests?: number;
  /** Spread that all arms of the run show between set-ups; null or missing: that of the differences alone. */
  readonly shared?: Deviation | null;
}

/**
 * Estimates the location of differences; null for none. Where every round has its own set-up, or all share one, rounds
 * are the unit. Otherwise the set-up is, by its winsorised mean: with the exact test if there are enough set-ups for it to
 * reject after the correction for `tests` variants, and with Student's t if there are fewer. Its spread is the larger of
 * that of the differences and the one that all arms share.
 */
export function estimateDifferences(
  differences: readonly Difference[],
  { level = LEVEL, tests = 1, shared = null }: EstimateOptions = {},
): LogEstimate | null {
  const setups = bySetup(differences);
  const common = { rounds: differences.length, setups: setups.length };
  if (isByRound(setups)) {
    const estimate = estimateLogs(differences.map(({ log }) => log), level);
    return estimate && { ...estimate, ...common };
  }
  const means = setups.map(winsorisedMean);
  if (means.length >= roundsToReject(tests)) {
    const estimate = estimateLogs(means, level)!;
    return { ...estimate, ...common, unit: "set-up", method: `${estimate.method} over set-ups` };
  }
  const least = means.length < ENOUGH_SETUPS ? MIN_SPREAD : 0;
  const freedom = shared?.freedom ?? means.length - 1;
  const estimate = studentMean(means, level, { size: Math.max(shared?.size ?? 0, least), freedom });
  const method = `Student's t over ${means.length} set-ups, a model`;
  return { ...common, ...estimate, unit: "set-up", reached: LEVEL, smallestP: null, method };
}

/**
 * Returns the standard deviation of a speed-up between set-ups that all arms of a run show together: the residual of a
 * two-way analysis of variance of arms and set-ups (R. A. Fisher, Statistical Methods for Research Workers, 1925). Null
 * where rounds are the unit.
 *
 * @param arms differences of each arm from the baseline, the control arm included
 */
export function sharedSpread(arms: readonly (readonly Difference[])[]): Deviation | null {
  const groups = arms.filter((arm) => arm.length > 0).map((arm) => Map.groupBy(arm, ({ setup }) => setup));
  const common = [...groups[0]?.keys() ?? []].filter((setup) => groups.every((group) => group.has(setup)));
  const rounds = groups.map((group) => common.map((setup) => group.get(setup)!.map(({ log }) => log)));
  if (common.length < 2 || rounds.every(isByRound)) return null;
  // The baseline differs by 0 from itself
  const table = [common.map(() => 0), ...rounds.map((own) => own.map(winsorisedMean))];
  const bySetup = common.map((_, i) => mean(table.map((row) => row[i]!)));
  const residuals = table.map((row) => row.map((value, i) => value - bySetup[i]!));
  const squares = sum(residuals.map((row) => squaresAround(row, mean(row))));
  const freedom = (table.length - 1) * (common.length - 1);
  return { size: Math.sqrt(2 * squares / freedom), freedom };
}

/** Returns the geometric mean over rounds with an interval over set-ups; null where its test has none. */
export function meanOfDifferences(differences: readonly Difference[]): ReturnType<typeof geometricMean> {
  const setups = bySetup(differences);
  return geometricMean(isByRound(setups) ? differences.map(({ log }) => log) : setups);
}

/** Returns the spread by level: a one-way analysis of variance with set-ups of unequal sizes. */
export function spreadOf(differences: readonly Difference[]): Spread {
  const setups = bySetup(differences);
  const [rounds, groups] = [differences.length, setups.length];
  const within = sum(setups.map((logs) => squaresAround(logs, mean(logs))));
  const overall = mean(differences.map(({ log }) => log));
  const between = sum(setups.map((logs) => logs.length * (mean(logs) - overall) ** 2));
  const ofRounds = rounds > groups ? within / (rounds - groups) : null;
  if (groups < 2) return { setups: null, rounds: ofRounds === null ? null : Math.sqrt(ofRounds) };
  // Rounds of a set-up, as the analysis counts them where sizes differ
  const size = (rounds - sum(setups.map((logs) => logs.length ** 2)) / rounds) / (groups - 1);
  const ofSetups = Math.max(0, between / (groups - 1) - (ofRounds ?? 0)) / size;
  return { setups: Math.sqrt(ofSetups), rounds: ofRounds === null ? null : Math.sqrt(ofRounds) };
}

function bySetup(differences: readonly Difference[]): number[][] {
  return [...Map.groupBy(differences, ({ setup }) => setup).values()].map((group) => group.map(({ log }) => log));
}

function isByRound(setups: readonly (readonly number[])[]): boolean {
  return setups.length < 2 || setups.every((logs) => logs.length === 1);
}

function squaresAround(values: readonly number[], middle: number): number {
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
