import type { Block, Comparison, Estimate, Quality, VariantResult } from "../../result/schema.ts";
import { logSpeedups } from "./block_pairs.ts";
import { LEVEL, LEVEL_OF_LOOKS, type LogEstimate, noiseFloor, ratioOf } from "./estimate.ts";
import { holm } from "./holm.ts";
import { type Difference, estimateDifferences, meanOfDifferences, sharedSpread, spreadOf } from "./setups.ts";
import type { Deviation } from "./student.ts";
import { type Updates, updatesReason } from "./work.ts";
import { judge } from "./verdict.ts";

/** Blocks of an arm. */
export interface ArmBlocks {
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly quality: Quality | null;
  /** Updates and overflows; null without loss scaling. */
  readonly updates: Updates | null;
  /** Why its steps hold other work than the baseline's; null where they do not. */
  readonly work: string | null;
  /** It is not judged. */
  readonly failed: boolean;
}

/** Input of the comparison. */
export interface CompareInput {
  /** Name of the arm that the others are compared with. */
  readonly baseline: string;
  readonly arms: readonly ArmBlocks[];
  /** Blocks of the control arm; null if it did not run. */
  readonly controlArm: readonly Block[] | null;
  /** Smallest speed-up - 1 to report as a difference. */
  readonly minEffect: number;
  /** Rounds ended when the intervals were narrow enough. */
  readonly byPrecision: boolean;
  /** Seed of the experiment. Unused, since the current methods draw no random numbers. */
  readonly seed: number;
}

/** Judgement of an arm; both null for the baseline, for a failed arm, and without a complete round. */
export interface Judged {
  readonly comparison: Comparison | null;
  readonly verdict: VariantResult["verdict"];
}

/** Comparison of all arms. */
export interface Comparisons {
  readonly byName: ReadonlyMap<string, Judged>;
  /** Difference between two runs of the baseline beyond the noise of their blocks, as a part of 1. */
  readonly noiseFloor: number | null;
  readonly controlArm: Comparison | null;
}

const NOT_JUDGED: Judged = { comparison: null, verdict: null };

/**
 * Compares every arm with the baseline, paired by round. Differences up to the band count as none: the larger of
 * `minEffect` and the noise floor. docs/statistics.md describes the method.
 */
export function compareArms({ baseline, arms, controlArm, minEffect, byPrecision }: CompareInput): Comparisons {
  const baselineArm = arms.find(({ name }) => name === baseline);
  const reference = baselineArm?.blocks ?? [];
  const baselineReason = updatesReason(baselineArm?.updates ?? null);
  const level = byPrecision ? LEVEL_OF_LOOKS : LEVEL;
  const againstItself = controlArm === null ? [] : logSpeedups(controlArm, reference);
  const paired = arms.flatMap((arm) => {
    const differences = arm.name === baseline || arm.failed ? [] : logSpeedups(arm.blocks, reference);
    return differences.length === 0 ? [] : [{ arm, differences }];
  });
  const tests = paired.length;
  const shared = sharedSpread([againstItself, ...paired.map(({ differences }) => differences)]);
  const again = estimateDifferences(againstItself, { shared });
  const floor = again === null ? null : noiseFloor(again);
  const band = Math.max(minEffect, floor ?? 0);
  const tested = paired.map((pair) => ({
    ...pair,
    estimate: estimateDifferences(pair.differences, { level, tests, shared })!,
  }));
  const adjusted = holm(tested.map(({ estimate }) => estimate.p));
  const byName = new Map(arms.map(({ name }) => [name, NOT_JUDGED]));
  for (const [i, { arm, differences, estimate }] of tested.entries()) {
    const evidence = {
      estimate,
      adjustedP: adjusted[i]!,
      tests,
      band,
      quality: arm.quality,
      unequal: arm.work ?? updatesReason(arm.updates) ??
        (baselineReason === null ? null : `${baseline}: ${baselineReason}`),
    };
    const { verdict, reason } = judge(evidence);
    byName.set(arm.name, { comparison: comparisonOf({ ...evidence, differences, reason }), verdict });
  }
  const reason = "the baseline against itself";
  return {
    byName,
    noiseFloor: floor,
    controlArm: again === null
      ? null
      : comparisonOf({ estimate: again, differences: againstItself, adjustedP: again.p, band, reason }),
  };
}

/**
 * Returns the half width of the speed-up's interval as a ratio (0.02 for ±2 %), for the `precision` setting; null if
 * unknown.
 *
 * @param tests number of variants tested together
 * @param together blocks of all arms that are compared with the baseline, the control arm included
 */
export function halfWidth(
  blocks: readonly Block[],
  baseline: readonly Block[],
  tests: number,
  together: readonly (readonly Block[])[] = [blocks],
): number | null {
  const options = { level: LEVEL_OF_LOOKS, tests, shared: sharedBy(together, baseline) };
  const interval = estimateDifferences(logSpeedups(blocks, baseline), options)?.interval;
  return interval == null ? null : Math.expm1((interval.high - interval.low) / 2);
}

/** Returns the spread between set-ups that arms share; null where rounds are the unit. */
export function sharedBy(arms: readonly (readonly Block[])[], baseline: readonly Block[]): Deviation | null {
  return sharedSpread(arms.map((blocks) => logSpeedups(blocks, baseline)));
}

/** Returns how many times as fast as the baseline an arm is by its blocks so far; null before a common round. */
export function speedupSoFar(blocks: readonly Block[], baseline: readonly Block[]): Estimate | null {
  const estimate = estimateDifferences(logSpeedups(blocks, baseline));
  return estimate === null ? null : ratioOf(estimate);
}

function comparisonOf(
  made: { estimate: LogEstimate; differences: readonly Difference[]; adjustedP: number; band: number; reason: string },
): Comparison {
  const { estimate, differences, adjustedP, band, reason } = made;
  const mean = meanOfDifferences(differences);
  const { interval } = estimate;
  return {
    pairs: estimate.rounds,
    setups: estimate.setups,
    spread: spreadOf(differences),
    speedup: ratioOf(estimate),
    level: LEVEL,
    reached: estimate.reached,
    method: estimate.method,
    companion: mean === null || interval === null
      ? null
      : { ...mean, disagrees: disagrees(mean.ratio.value, interval) },
    p: estimate.p,
    adjustedP,
    smallestP: estimate.smallestP,
    band,
    reason,
  };
}

/** Returns whether the geometric mean lies outside the interval: some blocks took far longer, of one arm or of both. */
function disagrees(mean: number, { low, high }: NonNullable<LogEstimate["interval"]>): boolean {
  const log = Math.log(mean);
  const rounding = 1e-9 * (1 + Math.abs(log));
  return log < low - rounding || log > high + rounding;
}
