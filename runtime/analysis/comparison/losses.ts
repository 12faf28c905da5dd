import { fromLoss, type Loss, type Quality, toLoss } from "../../result/schema.ts";

/**
 * Largest accepted relative difference between losses, by what differs between two variants. Rounding errors grow over steps:
 * a ResNet-20 in f32 differed by 0.20 from itself with a learning rate changed by 1e-5, and by 0.19 with AMP. Training that
 * stops learning differs by 1 or more.
 */
export const TOLERANCES = {
  /** Loader, workers, prefetch, sink: the same plan computes the same bits. */
  feed: 0,
  /** Fusion, layouts, autotuning: other kernels for the same computation. */
  kernels: 0.3,
  /** Precision: other numbers are f16. */
  precision: 0.3,
} as const;

/** Tolerances on the losses of a variant. */
export interface LossTolerance {
  /** Largest relative distance of smoothed losses. */
  readonly smoothed: number;
  /** Largest relative distance at each of the first steps; null for no limit. */
  readonly first: number | null;
}

/**
 * Largest relative distance at each of the first steps, where the numbers of the training keep their precision. No
 * rounding has grown by then, so that a wrong factor shows.
 */
export const FIRST_TOLERANCE = 1e-3;

/** Number of steps that count as the first. */
export const FIRST_STEPS = 3;

/** Steps over which losses are averaged: a fraction of all steps, and a maximum. */
const WINDOW_PART = 1 / 4;
const MAX_WINDOW = 50;

/** Fraction of the baseline's loss range that replaces a loss near zero as the reference. */
const RANGE_PART = 0.1;

/** Training diverges if its loss ends above this many times its first loss and the baseline's largest. */
const DIVERGED = 10;

/**
 * Compares the variant's losses with the baseline's at the same steps, averaged over a window. The difference is relative to
 * the baseline's average, or a fraction of its range if that is larger, plus its change within a window, since a few steps
 * of delay make a large difference if the loss falls fast.
 *
 * @param tolerance null where the variant is meant to train something else, which is not kept only where it diverges and
 *   the baseline does not
 * @returns null where no step has both losses
 */
export function qualityOf(
  losses: readonly (Loss | null)[],
  baselineLosses: readonly (Loss | null)[],
  tolerance: LossTolerance | null,
): Quality | null {
  const pairs = losses.flatMap((loss, step) => {
    const baseline = baselineLosses[step] ?? null;
    return loss === null || baseline === null ? [] : [{ step, loss, baseline }];
  });
  const last = pairs.at(-1);
  if (last === undefined) return null;
  const own = pairs.map(({ loss }) => fromLoss(loss));
  const reference = pairs.map(({ baseline }) => fromLoss(baseline));
  const difference = largestDistance(own, reference);
  const first = compareFirst(pairs, tolerance?.first ?? null);
  return {
    step: last.step,
    loss: last.loss,
    baselineLoss: last.baseline,
    difference: toLoss(difference),
    tolerance: tolerance?.smoothed ?? null,
    first,
    kept: tolerance === null
      ? !diverges(own, reference)
      : difference <= tolerance.smoothed && (first === null || fromLoss(first.difference) <= first.tolerance),
  };
}

/** Compares the first losses one by one; null if no limit applies to them or none was read. */
function compareFirst(
  pairs: readonly { readonly step: number; readonly loss: Loss; readonly baseline: Loss }[],
  tolerance: number | null,
): Quality["first"] {
  const first = pairs.filter(({ step }) => step < FIRST_STEPS);
  if (tolerance === null || first.length === 0) return null;
  const distances = first.map(({ loss, baseline }) => relativeDistance(fromLoss(loss), fromLoss(baseline)));
  return { difference: toLoss(Math.max(...distances)), tolerance };
}

/** Returns 0 if both losses are NaN or infinite, and infinity if only one is. */
function relativeDistance(loss: number, baseline: number): number {
  if (!Number.isFinite(loss) || !Number.isFinite(baseline)) {
    return Number.isFinite(loss) === Number.isFinite(baseline) ? 0 : Infinity;
  }
  return loss === baseline ? 0 : Math.abs(loss - baseline) / Math.abs(baseline);
}

/** Returns true if the last losses are NaN or far larger than all of the baseline's, and those are finite. */
function diverges(losses: readonly number[], baseline: readonly number[]): boolean {
  const window = Math.min(MAX_WINDOW, Math.max(1, Math.ceil(losses.length * WINDOW_PART)));
  const [own, other] = [losses, baseline].map((list) => meanSize(list.slice(-window))) as [number, number];
  if (!Number.isFinite(other)) return false;
  const usual = baseline.reduce((most, loss) => Number.isFinite(loss) ? Math.max(most, Math.abs(loss)) : most, 0);
  return !Number.isFinite(own) || own > DIVERGED * Math.max(usual, Math.abs(losses[0]!));
}

function meanSize(losses: readonly number[]): number {
  return losses.reduce((sum, loss) => sum + Math.abs(loss), 0) / losses.length;
}

/** Returns the largest relative difference; infinite if only one of two losses is finite. Two non-finite losses are equal. */
function largestDistance(losses: readonly number[], baseline: readonly number[]): number {
  const numbers = losses.map((loss, i) => [Number.isFinite(loss), Number.isFinite(baseline[i]!)] as const);
  if (numbers.some(([a, b]) => a !== b)) return Infinity;
  const finite = numbers.filter(([number]) => number).length;
  const window = Math.min(MAX_WINDOW, Math.max(1, Math.ceil(finite * WINDOW_PART)));
  const [a, b] = [losses, baseline].map((list) => smooth(list.filter(Number.isFinite), window)) as [number[], number[]];
  const [least, most] = extremes(b);
  return b.reduce((largest, value, i) => {
    const distance = Math.abs(a[i]! - value);
    if (distance === 0) return largest;
    const [low, high] = extremes(b.slice(Math.max(0, i - window), i + window + 1));
    return Math.max(largest, distance / (Math.max(Math.abs(value), RANGE_PART * (most - least)) + high - low));
  }, 0);
}

function extremes(values: readonly number[]): [number, number] {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** Returns the moving average over each step and those before it in the window. */
function smooth(values: readonly number[], window: number): number[] {
  return values.map((_, i) => {
    const first = Math.max(0, i + 1 - window);
    let sum = 0;
    for (let step = first; step <= i; step++) sum += values[step]!;
    return sum / (i + 1 - first);
  });
}
