import type { Procedure } from "../../result/schema.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";

/** Rounds with a `precision`: the minimum, the number between looks at the intervals, and the maximum. */
const LOOKS = { least: 8, every: 4, most: 100 } as const;

/** Rules for ending the rounds. */
export interface StoppingRules
  extends Pick<MeasureConfig, "rounds" | "precision" | "maxTime">, Partial<Pick<MeasureConfig, "statistic">> {
  /** Minimum number of rounds regardless of `maxTime`. Default 1. */
  readonly minRounds?: number;
}

/** Progress of the rounds. */
export interface RoundsSoFar {
  /** Number of complete rounds. */
  readonly rounds: number;
  /** Time of all rounds, in ms. */
  readonly elapsed: number;
  /** Time of the last round, in ms. */
  readonly lastRound: number;
  /** Returns the relative half width of each interval, or null without one yet. Called only at a look. */
  halfWidths(): readonly (number | null)[];
}

/** Returns the maximum number of rounds. */
export function plannedRounds({ rounds, precision }: StoppingRules): number {
  return precision === null ? rounds : Math.max(rounds, LOOKS.most);
}

/** Returns the minimum number of rounds, unless the time is up earlier. */
export function leastRounds({ rounds, precision }: StoppingRules): number {
  return precision === null ? rounds : Math.max(rounds, LOOKS.least);
}

/**
 * Returns the reason to stop, or null to continue. Never depends on significance. The width of an interval is independent of
 * its position, and few looks after enough rounds keep its coverage close to nominal (Y. S. Chow and H. Robbins, "On the
 * asymptotic theory of fixed-width sequential confidence intervals", Annals of Mathematical Statistics 36, 1965).
 */
export function stopReason(rules: StoppingRules, soFar: RoundsSoFar): Procedure["stoppedBy"] | null {
  const { rounds, elapsed, lastRound } = soFar;
  if (rounds >= plannedRounds(rules)) return "rounds";
  if (rounds < (rules.minRounds ?? 1)) return null;
  if (rules.precision !== null && isLook(rules, rounds)) {
    const widths = soFar.halfWidths();
    if (widths.length === 0) return "rounds";
    if (widths.every((width) => width !== null && width <= rules.precision!)) return "precision";
  }
  return rules.maxTime !== null && elapsed + lastRound > rules.maxTime * 1000 ? "time" : null;
}

/** Intervals at the last look, relative to the speed-ups. */
export interface Look {
  readonly rounds: number;
  readonly halfWidths: readonly (number | null)[];
}

/**
 * Predicts the number of rounds until a rule ends them, for the time left. Intervals narrow with the square root of the
 * number of rounds; before the first look, the minimum is assumed.
 *
 * @param soFar complete rounds, mean time of a round in ms (null before the first block), and the last look
 */
export function expectedRounds(
  rules: StoppingRules,
  { rounds, roundTime, look }: { rounds: number; roundTime: number | null; look: Look | null },
): number {
  const byTime = rules.maxTime === null || roundTime === null ? Infinity : Math.floor(rules.maxTime * 1000 / roundTime);
  const expected = Math.max(rules.minRounds ?? 1, Math.min(roundsForPrecision(rules, rounds, look), byTime));
  return Math.min(plannedRounds(rules), Math.max(rounds, expected));
}

function roundsForPrecision(rules: StoppingRules, rounds: number, look: Look | null): number {
  const least = leastRounds(rules);
  if (rules.precision === null || rounds < least) return least;
  const widths = look?.halfWidths.filter((width) => width !== null) ?? [];
  const needed = look === null ? 0 : look.rounds * (Math.max(0, ...widths) / rules.precision) ** 2;
  // The next look after the needed rounds
  return least + LOOKS.every * Math.ceil((Math.max(needed, rounds + 1) - least) / LOOKS.every);
}

function isLook(rules: StoppingRules, rounds: number): boolean {
  const least = leastRounds(rules);
  return rounds >= least && (rounds - least) % LOOKS.every === 0;
}
