import { quantile } from "../core/statistics.ts";
import type { Phase } from "../record/phases.ts";
import { ofPhase, phasesOf } from "../record/phases.ts";
import { ALL_REDUCE_LABELS, ALL_REDUCE_PARTS, allReduceTime, type AllReduceTimes } from "../record/all_reduce.ts";
import type { Block, StepRecord } from "../result/schema.ts";

/** Times of a step other than its phases. */
export type StepTime = "batchCost" | "readerCost" | "stepTime" | "iterationGap";

/** Distribution of a value. */
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
  /** Values in the order of the steps; null if not measured. */
  readonly values: readonly (number | null)[];
  /** Statistics over the measured steps; null if no step was measured. */
  readonly spread: Spread | null;
  /** Median of the last third / median of the first third, minus 1; null with too few steps. */
  readonly trend: number | null;
  /** Indices of steps much longer than the median. */
  readonly hiccups: readonly number[];
}

/** Minimum number of steps for a trend. */
const TREND_STEPS = 9;

/** A hiccup takes this many times the median, and exceeds it by this many median absolute deviations. */
const HICCUP_RATIO = 1.5;
const HICCUP_DEVIATIONS = 8;

/** Returns a time over the steps of all blocks. */
export function stepSeries(blocks: readonly Block[], time: StepTime): StepSeries {
  return derivedSeries(blocks, (step) => step[time]);
}

/** Returns the time of a phase over the steps of all blocks. */
export function phaseSeries(blocks: readonly Block[], phase: string): StepSeries {
  return derivedSeries(blocks, (step) => ofPhase(step, phase));
}

/** Returns the phases of the steps, in the order of a step. */
export function stepPhases(blocks: readonly Block[]): Phase[] {
  return phasesOf(blocks.flatMap(({ steps }) => steps));
}

/** Returns the times that a step trace shows, with their labels. */
export function stepTraceRows(blocks: readonly Block[]): { name: string; series: StepSeries }[] {
  return [
    { name: "batch cost", series: stepSeries(blocks, "batchCost") },
    { name: "reader cost", series: stepSeries(blocks, "readerCost") },
    { name: "iteration gap", series: stepSeries(blocks, "iterationGap") },
    ...stepPhases(blocks).map(({ name, label }) => ({ name: label, series: phaseSeries(blocks, name) })),
    ...blocks.some(({ steps }) => steps.some(({ allReduce }) => allReduce !== undefined)) ? allReduceRows(blocks) : [],
  ];
}

/** Returns the time of the all-reduce, its parts, and the transfers that the device hides. */
function allReduceRows(blocks: readonly Block[]): { name: string; series: StepSeries }[] {
  const of = (name: keyof AllReduceTimes) => derivedSeries(blocks, ({ allReduce }) => allReduce?.[name] ?? null);
  const whole = ({ allReduce }: StepRecord) => allReduce === undefined ? null : allReduceTime(allReduce);
  return [
    { name: "all-reduce", series: derivedSeries(blocks, whole) },
    ...ALL_REDUCE_PARTS.map((part) => ({ name: `all-reduce: ${ALL_REDUCE_LABELS[part]}`, series: of(part) })),
    { name: "all-reduce: hidden network", series: of("hidden") },
  ];
}

/** Returns the values of `valueOf` over the steps of all blocks. */
export function derivedSeries(blocks: readonly Block[], valueOf: (step: StepRecord) => number | null): StepSeries {
  return seriesOf(blocks.flatMap((block) => block.steps.map(valueOf)));
}

/** Returns the distribution of values; null without any. */
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

/**
 * Reduces values to at most `count` points for a line chart. A point for several steps shows the largest value, so that
 * single slow steps stay visible.
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
