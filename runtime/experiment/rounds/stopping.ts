import type { Procedure } from "../../result/schema.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";

/** Rounds where a precision is asked for: the fewest, those between looks at the intervals, and the most. */
const LOOKS = { least: 8, every: 4, most: 100 } as const;

/** When to stop measuring. */
export interface StoppingRules extends Pick<MeasureConfig, "rounds" | "precision" | "maxTime"> {
  /** Rounds that are run even if the time is up; 1 where nothing is said. */
  readonly minRounds?: number;
}

/** How far measuring has come. */
export interface Standing {
  /** Whole rounds. */
  readonly rounds: number;
  /** ms of measuring so far, and of the last round. */
  readonly elapsed: number;
  readonly lastRound: number;
  /** Half widths of the intervals that count, as ratios; null where there is none yet. Asked for only at a look. */
  halfWidths(): readonly (number | null)[];
}

/** The most rounds that may be run. */
export function plannedRounds({ rounds, precision }: StoppingRules): number {
  return precision === null ? rounds : Math.max(rounds, LOOKS.most);
}

/** The fewest, unless the time is up before. */
export function leastRounds({ rounds, precision }: StoppingRules): number {
  return precision === null ? rounds : Math.max(rounds, LOOKS.least);
}

/**
 * Why no further round is run; null to go on. Whether anything is significant is never looked at. The width of an
 * interval says nothing of where it lies, and few looks after enough rounds keep its coverage near what it claims (Y. S.
 * Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals", Annals of Mathematical
 * Statistics 36, 1965).
 */
export function stopReason(rules: StoppingRules, standing: Standing): Procedure["stoppedBy"] | null {
  const { rounds, elapsed, lastRound } = standing;
  if (rounds >= plannedRounds(rules)) return "rounds";
  if (rounds < (rules.minRounds ?? 1)) return null;
  if (rules.precision !== null && isLook(rules, rounds)) {
    const widths = standing.halfWidths();
    if (widths.length === 0) return "rounds";
    if (widths.every((width) => width !== null && width <= rules.precision!)) return "precision";
  }
  return rules.maxTime !== null && elapsed + lastRound > rules.maxTime * 1000 ? "time" : null;
}

function isLook(rules: StoppingRules, rounds: number): boolean {
  const least = leastRounds(rules);
  return rounds >= least && (rounds - least) % LOOKS.every === 0;
}
