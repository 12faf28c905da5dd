import { LEVEL } from "../../runtime/analysis/comparison/estimate.ts";
import { signFlipInterval } from "../../runtime/analysis/comparison/sign_flip.ts";
import { winsorisedInterval } from "../../runtime/analysis/comparison/winsorised.ts";
import { logSpeedups } from "../../runtime/analysis/comparison/block_pairs.ts";
import { drawMatrix } from "./experiments.ts";
import type { Machine } from "./machines.ts";
import { ranged, table } from "./markdown.ts";

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Default of a scenario. */
const MIN_EFFECT = 0.01;

/** Intervals of the candidates whose exactness does not depend on the noise. */
const CANDIDATES: Readonly<Record<string, (values: readonly number[]) => Interval | null>> = {
  "in use": (values) => winsorisedInterval(values, LEVEL),
  "signed ranks": signedRankInterval,
  "mean": (values) => signFlipInterval(values, LEVEL),
  "signs": signInterval,
};

/**
 * Inverts the exact signed-rank test: an end is the Walsh average of the rank that the test allows (Hodges and Lehmann,
 * "Estimates of location based on rank tests", Annals of Mathematical Statistics 34, 1963).
 */
function signedRankInterval(values: readonly number[]): Interval | null {
  const averages = values.flatMap((a, i) => values.slice(i).map((b) => (a + b) / 2)).sort((a, b) => a - b);
  let chances = new Float64Array(averages.length + 1);
  chances[0] = 1;
  for (let rank = 1; rank <= values.length; rank++) {
    chances = chances.map((chance, sum) => (chance + (sum >= rank ? chances[sum - rank]! : 0)) / 2);
  }
  return between(averages, chances);
}

/** Inverts the sign test: an end is an order statistic. */
function signInterval(values: readonly number[]): Interval | null {
  let chances = new Float64Array(values.length + 1);
  chances[0] = 1;
  for (let i = 0; i < values.length; i++) {
    chances = chances.map((chance, sum) => (chance + (sum > 0 ? chances[sum - 1]! : 0)) / 2);
  }
  return between(values.toSorted((a, b) => a - b), chances);
}

/** Leaves out as many of the sorted values at each end as the chances allow. */
function between(sorted: readonly number[], chances: Float64Array): Interval | null {
  let [outside, sum] = [0, 0];
  while (outside < chances.length && (sum += chances[outside]!) <= (1 - LEVEL) / 2) outside++;
  return outside === 0 ? null : { low: sorted[outside - 1]!, high: sorted.at(-outside)! };
}

/** Rate at which an effect lies outside each candidate's interval on the right side, beside its coverage of no effect. */
export function candidateTable(
  rounds: readonly number[],
  machines: readonly Machine[],
  effect: number,
  experiments: number,
): string {
  const names = Object.keys(CANDIDATES);
  const band = Math.log1p(MIN_EFFECT);
  const rows = rounds.map((count) => {
    const rates = machines.map((machine) => {
      const hits = names.map(() => ({ covered: 0, found: 0 }));
      for (let seed = 0; seed < experiments; seed++) {
        const setup = { machine, rounds: count, effects: [0], minEffect: MIN_EFFECT, controlArm: true };
        const { arms } = drawMatrix(setup, seed);
        const logs = logSpeedups(arms[1]!.blocks, arms[0]!.blocks).map(({ log }) => log);
        const faster = logs.map((log) => log + Math.log1p(effect));
        names.forEach((name, i) => {
          const [none, some] = [CANDIDATES[name]!(logs), CANDIDATES[name]!(faster)];
          if (none === null || (none.low <= 0 && none.high >= 0)) hits[i]!.covered += 1 / experiments;
          if (some !== null && some.low > band) hits[i]!.found += 1 / experiments;
        });
      }
      return hits;
    });
    return [
      String(count),
      ...names.map((_, i) => {
        const own = rates.map((hits) => hits[i]!);
        return `${ranged(own.map(({ covered }) => covered))}; ${ranged(own.map(({ found }) => found))}`;
      }),
    ];
  });
  return table(["rounds", ...names], rows);
}
