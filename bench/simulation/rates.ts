import { type Setup, simulate } from "./experiments.ts";

/** Outcomes of simulated experiments, as fractions. */
export interface Rates {
  /** Fraction of matrices with a variant called faster or slower. */
  readonly called: number;
  /** Fraction of matrices with a variant called faster. */
  readonly faster: number;
  /** Fraction of matrices in which the first variant is called the same. */
  readonly same: number;
  /** Fraction of the first variant's intervals that contain the true effect. */
  readonly covered: number;
}

/** Part of an end by which rounding may move it. */
const ROUNDING = 1e-9;

export function ratesOf(setup: Setup, experiments: number, seed = 0): Rates {
  if (!Number.isInteger(experiments)) throw new Error(`${experiments} experiments: expected an integer`);
  let [called, faster, same, covered] = [0, 0, 0, 0];
  const truth = 1 + setup.effects[0]!;
  for (let i = 0; i < experiments; i++) {
    const judged = [...simulate(setup, seed + i).byName.values()];
    const verdicts = judged.map(({ verdict }) => verdict);
    const { low, high } = judged[1]!.comparison!.speedup;
    if (verdicts.includes("faster")) faster++;
    if (verdicts.includes("faster") || verdicts.includes("slower")) called++;
    if (verdicts[1] === "same") same++;
    if (low !== null && high !== null && low <= truth * (1 + ROUNDING) && truth <= high * (1 + ROUNDING)) covered++;
  }
  const part = (count: number) => count / experiments;
  return { called: part(called), faster: part(faster), same: part(same), covered: part(covered) };
}
