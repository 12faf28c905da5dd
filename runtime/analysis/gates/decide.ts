import type { Comparand } from "./compare_readings.ts";
import type { Operator } from "./gate.ts";

/** State of a gate. `undecided`: the interval includes the limit; `missing`: the figure or its reference is missing. */
export type GateState = "pass" | "fail" | "undecided" | "missing";

/** Maximum number of rounds to suggest. */
const MAX_ROUNDS = 1000;

/**
 * Decides by the whole interval: a gate passes if all of it meets the condition, and fails if none of it does. A figure that
 * has no interval by nature decides by its value.
 *
 * @returns the state, and the reason in a short sentence
 */
export function decide(compared: Comparand, operator: Operator): [state: GateState, why: string] {
  const { value, interval, sample, limit } = compared;
  const holds = (figure: number) => OPERATORS[operator](figure, limit);
  if (interval === null && sample === null) return [holds(value) ? "pass" : "fail", ""];
  if (interval === null) {
    const rounds = sample === 1 ? "1 round has" : `${sample} rounds have`;
    return ["undecided", `${rounds} no interval; run more rounds`];
  }
  const ends = [holds(interval.low), holds(interval.high)];
  if (ends.every(Boolean)) return ["pass", ""];
  if (!ends.some(Boolean)) return ["fail", "the whole interval is on the wrong side"];
  return ["undecided", explainUndecided(compared, holds(value))];
}

const OPERATORS: Readonly<Record<Operator, (figure: number, limit: number) => boolean>> = {
  ">=": (figure, limit) => figure >= limit,
  "<=": (figure, limit) => figure <= limit,
  ">": (figure, limit) => figure > limit,
  "<": (figure, limit) => figure < limit,
  "==": (figure, limit) => figure === limit,
  "!=": (figure, limit) => figure !== limit,
};

/** Explains an undecided gate. Estimates the rounds needed, as intervals narrow with the square root of their number. */
function explainUndecided({ value, interval, sample, limit }: Comparand, holds: boolean): string {
  const reason = "the interval includes the limit";
  if (!holds) return `${reason}, and its estimate is on the wrong side`;
  const distance = Math.abs(value - limit);
  const half = value > limit ? value - interval!.low : interval!.high - value;
  const rounds = Math.ceil((sample ?? NaN) * (half / distance) ** 2);
  if (!(rounds <= MAX_ROUNDS)) return `${reason}: needs more rounds`;
  return `${reason}: needs more rounds, about ${Math.max(rounds, sample! + 1)}`;
}
