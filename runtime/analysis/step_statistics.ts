import type { Phase } from "../record/phases.ts";
import { ofPhase, phasesOf } from "../record/phases.ts";
import type { Block, StepRecord } from "../result/schema.ts";

/** Times of a step besides those of its phases. */
export type StepTime = "batchCost" | "readerCost" | "stepTime" | "iterationGap";

/** How the values of one thing lie. */
export interface Spread {
  readonly count: number;
  readonly total: number;
  readonly mean: number;
  readonly min: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

/** One time of a step over the measured steps. */
export interface StepSeries {
  /** In the order of the steps; null where it was not measured. */
  readonly values: readonly (number | null)[];
  /** Null where no step was measured. */
  readonly spread: Spread | null;
  /** Median of the last third over that of the first third, minus 1; null where there are too few steps. */
  readonly trend: number | null;
  /** Indices of steps that took far longer than the median. */
  readonly hiccups: readonly number[];
}

/** Fewer steps have no trend. */
const TREND_STEPS = 9;

/** A hiccup lasts this many times the median, and lies this many median deviations off it. */
const HICCUP_RATIO = 1.5;
const HICCUP_DEVIATIONS = 8;

/** Follows one time over the steps of all blocks. */
export function stepSeries(blocks: readonly Block[], time: StepTime): StepSeries {
  return derivedSeries(blocks, (step) => step[time]);
}

/** Follows one phase over the steps of all blocks. */
export function phaseSeries(blocks: readonly Block[], phase: string): StepSeries {
  return derivedSeries(blocks, (step) => ofPhase(step, phase));
}

/** Each phase of the steps, in the order of a step. */
export function stepPhases(blocks: readonly Block[]): Phase[] {
  return phasesOf(blocks.flatMap(({ steps }) => steps));
}

/** The times that a step trace shows, with what it calls them. */
export function stepTraceRows(blocks: readonly Block[]): { name: string; series: StepSeries }[] {
  return [
    { name: "batch cost", series: stepSeries(blocks, "batchCost") },
    { name: "reader cost", series: stepSeries(blocks, "readerCost") },
    { name: "iteration gap", series: stepSeries(blocks, "iterationGap") },
    ...stepPhases(blocks).map(({ name, label }) => ({ name: label, series: phaseSeries(blocks, name) })),
  ];
}

/** Follows what `valueOf` gives over the steps of all blocks. */
export function derivedSeries(blocks: readonly Block[], valueOf: (step: StepRecord) => number | null): StepSeries {
  return seriesOf(blocks.flatMap((block) => block.steps.map(valueOf)));
}

/** Null for no values. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const total = values.reduce((sum, value) => sum + value, 0);
  return {
    count: values.length,
    total,
    mean: total / values.length,
    min: sorted[0]!,
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    max: sorted.at(-1)!,
  };
}

/** Between the two values that lie next to it; `sorted` ascends and is not empty. */
export function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const [a, b] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  return a + (b - a) * (place - below);
}

/**
 * The values in at most `count` points, for a line over steps. A point that stands for several steps shows the largest,
 * so that a single slow step is seen.
 */
export function sampleSteps(values: readonly (number | null)[], count: number): (number | null)[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, i) => {
    const part = values.slice(Math.floor(i * values.length / count), Math.floor((i + 1) * values.length / count));
    const known = part.filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b));
  });
}

function seriesOf(values: readonly (number | null)[]): StepSeries {
  const known = values.filter((value) => value !== null);
  return { values, spread: spreadOf(known), trend: trendOf(known), hiccups: hiccupsOf(values, known) };
}

function trendOf(known: readonly number[]): number | null {
  if (known.length < TREND_STEPS) return null;
  const third = Math.floor(known.length / 3);
  const [first, last] = [spreadOf(known.slice(0, third))!.median, spreadOf(known.slice(-third))!.median];
  return first > 0 ? last / first - 1 : null;
}

function hiccupsOf(values: readonly (number | null)[], known: readonly number[]): number[] {
  const spread = spreadOf(known);
  if (spread === null) return [];
  const { median } = spread;
  const deviation = spreadOf(known.map((value) => Math.abs(value - median)))!.median;
  const limit = Math.max(median * HICCUP_RATIO, median + HICCUP_DEVIATIONS * deviation);
  return values.flatMap((value, i) => value !== null && median > 0 && value > limit ? [i] : []);
}
