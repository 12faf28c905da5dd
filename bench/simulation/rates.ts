import { type Setup, simulate } from "./experiments.ts";

/** What became of simulated experiments, as parts of 1. */
export interface Rates {
  /** Matrices with a variant that was called faster or slower. */
  readonly called: number;
  /** Matrices with a variant that was called faster. */
  readonly faster: number;
  /** Matrices in which the first variant was called the same. */
  readonly same: number;
  /** Intervals of the first variant that hold the true effect. */
  readonly covered: number;
}

export function ratesOf(setup: Setup, experiments: number, seed = 0): Rates {
  let [called, faster, same, covered] = [0, 0, 0, 0];
  const truth = 1 + setup.effects[0]!;
  for (let i = 0; i < experiments; i++) {
    const judged = [...simulate(setup, seed + i).byName.values()];
    const verdicts = judged.map(({ verdict }) => verdict);
    const { low, high } = judged[1]!.comparison!.speedup;
    if (verdicts.includes("faster")) faster++;
    if (verdicts.includes("faster") || verdicts.includes("slower")) called++;
    if (verdicts[1] === "same") same++;
    if (low !== null && high !== null && low <= truth && truth <= high) covered++;
  }
  const part = (count: number) => count / experiments;
  return { called: part(called), faster: part(faster), same: part(same), covered: part(covered) };
}
