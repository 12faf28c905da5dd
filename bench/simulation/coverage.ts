import { logSpeedups } from "../../runtime/analysis/comparison/block_pairs.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { drawMatrix, type Setup } from "./experiments.ts";
import type { Noise } from "./fit.ts";
import { intervalsOf } from "./intervals.ts";
import { ranged, table } from "./markdown.ts";

/** Source of differences over a number of rounds, whose true mean is 0. */
export type Source = (rounds: number, seed: number) => readonly number[];

/** Returns the differences of a variant that equals the baseline. */
export function differencesOn(setup: Setup): Source {
  return (rounds, seed) => {
    const { arms } = drawMatrix({ ...setup, rounds }, seed);
    return logSpeedups(arms[1]!.blocks, arms[0]!.blocks);
  };
}

/** Returns the differences of a variant that alone has bursts, minus the bursts' mean cost. */
export function lopsidedDifferences({ white, bursts }: Noise): Source {
  return (rounds, seed) => {
    const random = new RandomStream(seed, rounds, 1);
    return Array.from({ length: rounds }, () => {
      const burst = random.uniform() < bursts.share ? -bursts.size * Math.log(1 - random.uniform()) : 0;
      return bursts.share * bursts.size - burst + white * Math.SQRT2 * random.normal();
    });
  };
}

/** Returns a table of coverage by number of rounds and method: mean and range over the sources. */
export function coverageTable(rounds: readonly number[], sources: readonly Source[], trials: number): string {
  const rows = rounds.map((count) => {
    const covered: Record<string, number[]> = {};
    for (const source of sources) {
      const hits: Record<string, number> = {};
      for (let seed = 0; seed < trials; seed++) {
        const intervals = intervalsOf(source(count, seed), new RandomStream(seed, count));
        for (const [method, { low, high }] of Object.entries(intervals)) {
          hits[method] = (hits[method] ?? 0) + (low <= 0 && high >= 0 ? 1 : 0);
        }
      }
      for (const [method, hit] of Object.entries(hits)) (covered[method] ??= []).push(hit / trials);
    }
    return covered;
  });
  const names = Object.keys(rows[0]!);
  return table(
    ["rounds", ...names],
    rows.map((covered, i) => [String(rounds[i]), ...names.map((name) => ranged(covered[name]!))]),
  );
}
