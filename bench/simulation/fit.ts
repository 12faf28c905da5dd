import { median, quantile } from "../../runtime/core/statistics.ts";
import { logsByCopy, type Recording } from "./recording.ts";

/** Variation of a recording's blocks, in logs of the wall time; standard deviations unless stated otherwise. */
export interface Noise {
  /** Blocks in the order of time, minus their mean. */
  readonly series: readonly number[];
  /** Robust deviation of a block from its neighbours. */
  readonly white: number;
  /** Slow part that neighbours share, and the correlation of consecutive blocks. */
  readonly drift: { readonly size: number; readonly correlation: number };
  /** Share of blocks far above their neighbours, and their excess. */
  readonly bursts: { readonly share: number; readonly size: number };
  /** Two levels: their distance, the share of the upper level, and the rate at which blocks switch between them. */
  readonly levels: { readonly gap: number; readonly upper: number; readonly switches: number };
  /** Degrees of freedom of the t distribution with the same tails. */
  readonly freedom: number;
  /** Largest single change of level during the run. */
  readonly step: number;
  /** Permanent differences between copies, beyond what the blocks' noise explains. */
  readonly copies: number;
}

/** Median absolute deviation of normal noise, in standard deviations. */
const MEDIAN_DISTANCE = 0.6745;

/** Quantiles of t by degrees of freedom: the range from 5 to 95 % over that from 25 to 75 %. */
const TAILS: readonly (readonly [freedom: number, ratio: number])[] = [[1, 6.31], [1.5, 4.32], [2, 3.58], [3, 3.08], [
  5,
  2.77,
], [30, 2.48]];

/** Estimates each kind of noise as if it were the only one. */
export function fitNoise(recording: Recording): Noise {
  const raw = recording.walls.flat().map(Math.log);
  const series = raw.map((value) => value - mean(raw));
  const residuals = series.map((value, i) => value - median(series.slice(Math.max(0, i - 4), i + 5)));
  const white = median(residuals.map(Math.abs)) / MEDIAN_DISTANCE;
  const high = residuals.filter((value) => value > 3 * white);
  const [variance, one, two] = [0, 1, 2].map((lag) => covariance(series, lag)) as [number, number, number];
  const correlation = Math.min(0.98, Math.max(0.5, one > 0 ? two / one : 0));
  const sorted = residuals.toSorted((a, b) => a - b);
  const tails = (quantile(sorted, 0.95) - quantile(sorted, 0.05)) / (quantile(sorted, 0.75) - quantile(sorted, 0.25));
  return {
    series,
    white,
    drift: { size: Math.sqrt(Math.min(variance, Math.max(0, one / correlation))), correlation },
    bursts: { share: Math.max(0.02, high.length / series.length), size: high.length === 0 ? 3 * white : mean(high) },
    levels: levelsOf(series),
    freedom: TAILS.find(([, ratio]) => tails >= ratio)?.[0] ?? 30,
    step: largestStep(series),
    copies: copySpread(recording),
  };
}

/** Splits the blocks into two levels with the least variance within each (N. Otsu, 1979). */
function levelsOf(series: readonly number[]): Noise["levels"] {
  const sorted = series.toSorted((a, b) => a - b);
  let best = { between: -1, gap: 0, cut: 0, upper: 0.5 };
  for (let count = 2; count <= sorted.length - 2; count++) {
    const gap = mean(sorted.slice(count)) - mean(sorted.slice(0, count));
    const upper = 1 - count / sorted.length;
    const between = upper * (1 - upper) * gap ** 2;
    if (between > best.between) best = { between, gap, cut: sorted[count]!, upper };
  }
  const changes = series.filter((value, i) => i > 0 && (value >= best.cut) !== (series[i - 1]! >= best.cut)).length;
  return { gap: best.gap, upper: best.upper, switches: Math.max(0.05, changes / (series.length - 1)) };
}

function largestStep(series: readonly number[]): number {
  const part = Math.ceil(series.length / 8);
  let largest = 0;
  for (let at = part; at <= series.length - part; at++) {
    largest = Math.max(largest, Math.abs(median(series.slice(at)) - median(series.slice(0, at))));
  }
  return largest;
}

/** Returns the spread of the copies by a one-way analysis of variance with rounds as blocks. */
function copySpread(recording: Recording): number {
  const copies = logsByCopy(recording);
  const rounds = copies[0]!.length;
  const centred = copies.map((logs) => logs.map((log, round) => log - mean(copies.map((copy) => copy[round]!))));
  const means = centred.map(mean);
  const between = sum(means.map((value) => value ** 2)) / (copies.length - 1);
  const within = sum(centred.flatMap((logs, i) => logs.map((log) => (log - means[i]!) ** 2))) /
    ((copies.length - 1) * (rounds - 1));
  return Math.sqrt(Math.max(0, between - within / rounds));
}

function covariance(series: readonly number[], lag: number): number {
  return sum(series.slice(lag).map((value, i) => value * series[i]!)) / series.length;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
