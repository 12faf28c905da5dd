import { tProbability, tQuantile } from "../student_t.ts";
import type { LogEstimate } from "./estimate.ts";
import { LEVEL } from "./estimate.ts";

/** Standard errors from the middle to an end of a 95 % interval. */
const ERRORS_TO_END = 1.96;

/** Estimate over several nodes. */
export interface PooledEstimate extends LogEstimate {
  /** Standard deviation of the log of the speed-up between nodes, beyond the noise of their rounds. */
  readonly between: number;
}

/**
 * Combines the estimates of a variant on two nodes or more by a random-effects model, so that the spread between nodes is
 * part of the interval: the variance between nodes of R. DerSimonian and N. Laird ("Meta-analysis in clinical trials",
 * Controlled Clinical Trials 7, 1986), and the interval and test with Student's t of J. Hartung and G. Knapp ("A refined
 * method for the meta-analysis of controlled clinical trials with binary outcome", Statistics in Medicine 20, 2001).
 *
 * The noise of a round is taken as the same on all nodes, so that weights depend on the number of rounds only. Weights from
 * the variance that a few rounds show on each node favour the nodes whose rounds agree by chance: intervals for six nodes
 * with 8 rounds then cover 86 to 92 % (J. Shuster, "Empirical vs natural weighting in random effects meta-analysis",
 * Statistics in Medicine 29, 2010, on such weights).
 *
 * The error of the test is at least the one that the variances explain, since estimates of few nodes may agree by chance (C.
 * Röver, G. Knapp and T. Friede, "Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects meta-analysis
 * with few studies", BMC Medical Research Methodology 15, 2015).
 */
export function poolNodes(nodes: readonly LogEstimate[]): PooledEstimate {
  const noise = sum(
    nodes.map(({ interval, rounds }) =>
      interval === null ? 0 : rounds * ((interval.high - interval.low) / 2 / ERRORS_TO_END) ** 2
    ),
  ) / nodes.length;
  const variances = nodes.map(({ rounds }) => noise / rounds);
  const known = noise > 0;
  const values = nodes.map(({ value }) => value);
  const fixed = nodes.map(({ rounds }) => known ? rounds / noise : rounds);
  const total = sum(fixed);
  const middle = weightedMean(values, fixed);
  const q = sum(values.map((value, i) => fixed[i]! * (value - middle) ** 2));
  const scale = total - sum(fixed.map((weight) => weight ** 2)) / total;
  const freedom = nodes.length - 1;
  const between = known ? Math.max(0, (q - freedom) / scale) : q / scale;
  const weights = known ? variances.map((variance) => 1 / (variance + between)) : fixed;
  const value = weightedMean(values, weights);
  const squares = sum(values.map((one, i) => weights[i]! * (one - value) ** 2));
  const error = Math.sqrt(squares / freedom / sum(weights));
  const tested = known ? Math.max(error, Math.sqrt(1 / sum(weights))) : error;
  const half = tQuantile(LEVEL, freedom) * error;
  return {
    rounds: sum(nodes.map(({ rounds }) => rounds)),
    setups: nodes.length,
    unit: "node",
    value,
    interval: { low: value - half, high: value + half },
    reached: LEVEL,
    method: `random effects over ${nodes.length} nodes, Hartung-Knapp`,
    p: tested > 0 ? tProbability(value / tested, freedom) : value === 0 ? 1 : 0,
    smallestP: null,
    between: Math.sqrt(between),
  };
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return sum(values.map((value, i) => value * weights[i]!)) / sum(weights);
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}
