import { deepStrictEqual } from "node:assert/strict";
import { PeriodTracker } from "../../runtime/attach/period_tracker.ts";

/** Returns the places at which a step ends, and the last period. */
function track(symbols: readonly number[]): { ends: number[]; period: number } {
  const tracker = new PeriodTracker();
  const ends = symbols.flatMap((symbol, i) => tracker.add(symbol) ? [i] : []);
  return { ends, period: tracker.period };
}

const repeat = (word: readonly number[], times: number) => Array.from({ length: times }, () => word).flat();

Deno.test("steps end from the third occurrence of the period on", () => {
  deepStrictEqual(track([9, 8, ...repeat([1, 2, 3], 5)]), { ends: [10, 13, 16], period: 3 });
});

Deno.test("no period is found where nothing repeats", () => {
  deepStrictEqual(track(Array.from({ length: 300 }, (_, i) => i)), { ends: [], period: 0 });
});

Deno.test("equal layers within a step do not stay the period", () => {
  const { ends, period } = track(repeat([1, 1, 1, 1, 1, 2], 12));
  deepStrictEqual(period, 6);
  deepStrictEqual(ends.slice(-3), [59, 65, 71]);
});

Deno.test("a period is found again after an evaluation", () => {
  const { ends, period } = track([...repeat([1, 2], 5), 7, 7, 8, ...repeat([1, 2], 30)]);
  deepStrictEqual(period, 2);
  deepStrictEqual(ends.at(-1), 72);
});
