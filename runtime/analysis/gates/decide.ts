import type { Comparand } from "./compare_readings.ts";
import type { Operator } from "./gate.ts";

/** `undecided`: the interval lies on both sides of the limit; `missing`: there is nothing to hold against it. */
export type GateState = "pass" | "fail" | "undecided" | "missing";

/** More rounds than this are not worth naming. */
const MOST_ROUNDS = 1000;

/**
 * Decides by the whole interval: a gate passes where all of it is on the right side and fails where none of it is. A
 * figure without an interval by nature decides as it is.
 *
 * @returns the state, and why in a short sentence
 */
export function decide(compared: Comparand, operator: Operator): [state: GateState, why: string] {
  const { value, interval, sample, limit } = compared;
  const holds = (figure: number) => compare(figure, operator, limit);
  if (interval === null && sample === null) return [holds(value) ? "pass" : "fail", ""];
  if (interval === null) {
    const rounds = sample === 1 ? "1 round has" : `${sample} rounds have`;
    return ["undecided", `${rounds} no interval; run more rounds`];
  }
  const ends = [holds(interval.low), holds(interval.high)];
  if (ends.every(Boolean)) return ["pass", ""];
  if (!ends.some(Boolean)) return ["fail", "the whole interval is on the wrong side"];
  return ["undecided", straddling(compared, holds(value))];
}

function compare(figure: number, operator: Operator, limit: number): boolean {
  switch (operator) {
    case ">=":
      return figure >= limit;
    case "<=":
      return figure <= limit;
    case ">":
      return figure > limit;
    case "<":
      return figure < limit;
    case "==":
      return figure === limit;
    case "!=":
      return figure !== limit;
  }
}

/** The half width of an interval shrinks with the square root of the number of blocks. */
function straddling({ value, interval, sample, limit }: Comparand, holds: boolean): string {
  const both = "the interval lies on both sides";
  if (!holds) return `${both}, its middle on the wrong one`;
  const distance = Math.abs(value - limit);
  const half = value > limit ? value - interval!.low : interval!.high - value;
  const rounds = Math.ceil((sample ?? NaN) * (half / distance) ** 2);
  if (!(rounds <= MOST_ROUNDS)) return `${both}: needs more rounds`;
  return `${both}: needs more rounds, about ${Math.max(rounds, sample! + 1)}`;
}
