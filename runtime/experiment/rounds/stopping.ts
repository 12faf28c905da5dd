import type { Procedure } from "../../result/schema.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";

/** Rounds with a `precision`: the minimum, the number between looks at the intervals, and the maximum. */
const LOOKS = { least: 8, every: 4, most: 100 } as const;

/** Rules for ending the rounds. */
export interface StoppingRules extends Pick<MeasureConfig, "rounds" | "precision" | "maxTime"> {
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

function isLook(rules: StoppingRules, rounds: number): boolean {
  const least = leastRounds(rules);
  return rounds >= least && (rounds - least) % LOOKS.every === 0;
}
