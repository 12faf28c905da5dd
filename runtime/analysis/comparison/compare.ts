import type { Block, Comparison, Estimate, Metric, Quality, VariantResult } from "../../result/schema.ts";
import { logSpeedups } from "./block_pairs.ts";
import { estimateLogs, LEVEL, type LogEstimate, ratioOf } from "./estimate.ts";
import { bandOf, noiseFloor } from "./floor.ts";
import { holm } from "./holm.ts";
import { smallestP } from "./sign_flip.ts";
import { type Updates, updatesReason } from "./updates.ts";
import { judge } from "./verdict.ts";

/** What was measured of one variant. */
export interface ArmBlocks {
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly quality: Quality | null;
  /** Null without loss scaling. */
  readonly updates: Updates | null;
  /** It is not judged. */
  readonly failed: boolean;
}

export interface CompareInput {
  /** Name of the arm that the others are compared with. */
  readonly baseline: string;
  readonly arms: readonly ArmBlocks[];
  /** Blocks of the baseline under another name; null where it did not run twice. */
  readonly controlArm: readonly Block[] | null;
  /** The least speed-up - 1 that counts. */
  readonly minEffect: number;
  /** Of the experiment. The methods in use draw nothing, so that it changes nothing. */
  readonly seed: number;
}

/** Both null for the baseline, for what failed, and where no round was whole. */
export interface Judged {
  readonly comparison: Comparison | null;
  readonly verdict: VariantResult["verdict"];
}

export interface Comparisons {
  readonly byName: ReadonlyMap<string, Judged>;
  /** By how much two runs of the baseline differ. */
  readonly noiseFloor: Metric | null;
  readonly controlArm: Comparison | null;
}

const NOT_JUDGED: Judged = { comparison: null, verdict: null };

/** Compares every arm with the baseline, round by round (STATISTICS.md, 4 to 7). */
export function compareArms({ baseline, arms, controlArm, minEffect }: CompareInput): Comparisons {
  const baselineArm = arms.find(({ name }) => name === baseline);
  const reference = baselineArm?.blocks ?? [];
  const baselineReason = updatesReason(baselineArm?.updates ?? null);
  const again = controlArm === null ? null : estimateLogs(logSpeedups(controlArm, reference));
  const band = bandOf(again, minEffect);
  const floor = again === null ? null : noiseFloor(again);
  const tested = arms.flatMap((arm) => {
    if (arm.name === baseline || arm.failed) return [];
    const estimate = estimateLogs(logSpeedups(arm.blocks, reference));
    return estimate === null ? [] : [{ arm, estimate }];
  });
  const adjusted = holm(tested.map(({ estimate }) => estimate.p));
  const byName = new Map(arms.map(({ name }) => [name, NOT_JUDGED]));
  for (const [i, { arm, estimate }] of tested.entries()) {
    const evidence = {
      estimate,
      adjustedP: adjusted[i]!,
      tests: tested.length,
      band,
      floor: floor?.value ?? 0,
      quality: arm.quality,
      skipping: updatesReason(arm.updates) ?? (baselineReason === null ? null : `${baseline}: ${baselineReason}`),
    };
    const { verdict, reason } = judge(evidence);
    byName.set(arm.name, { comparison: comparisonOf({ ...evidence, reason }), verdict });
  }
  const reason = "the baseline against itself";
  return {
    byName,
    noiseFloor: floor,
    controlArm: again === null ? null : comparisonOf({ estimate: again, adjustedP: again.p, band, reason }),
  };
}

/** Half width of a log-ratio interval as a ratio (0.02 = ±2 %), for the `precision` stopping rule; null if not known. */
export function halfWidth(blocks: readonly Block[], baseline: readonly Block[]): number | null {
  const interval = estimateLogs(logSpeedups(blocks, baseline))?.interval;
  return interval == null ? null : Math.expm1((interval.high - interval.low) / 2);
}

/** Returns how many times as fast as the baseline an arm is by its blocks so far; null before a common round. */
export function speedupSoFar(blocks: readonly Block[], baseline: readonly Block[]): Estimate | null {
  const estimate = estimateLogs(logSpeedups(blocks, baseline));
  return estimate === null ? null : ratioOf(estimate);
}

function comparisonOf(
  made: { estimate: LogEstimate; adjustedP: number; band: number; reason: string },
): Comparison {
  const { estimate, adjustedP, band, reason } = made;
  return {
    pairs: estimate.rounds,
    speedup: ratioOf(estimate),
    level: LEVEL,
    method: estimate.method,
    p: estimate.p,
    adjustedP,
    smallestP: smallestP(estimate.rounds),
    band,
    reason,
  };
}
