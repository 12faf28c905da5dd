import type { Block, Comparison, Quality, VariantResult } from "../../result/schema.ts";
import { logSpeedups } from "./block_pairs.ts";
import { LEVEL, type LogEstimate, noiseFloor, ratioOf } from "./estimate.ts";
import { holm } from "./holm.ts";
import { poolNodes } from "./pooled.ts";
import { estimateDifferences, spreadOf } from "./setups.ts";
import type { Deviation } from "./student.ts";
import { judge } from "./verdict.ts";

/** A variant on one node, compared with the baseline of that node. */
export interface NodeEstimate {
  readonly estimate: LogEstimate;
  readonly spread: Comparison["spread"];
  /** Noise floor of the node; null without a control arm. */
  readonly floor: number | null;
  readonly quality: Quality | null;
  /** Why the steps on the node are not the same work as the baseline's; null where they are. */
  readonly unequal: string | null;
}

/** A judged variant of a merged run. */
export interface MergedJudgement {
  readonly comparison: Comparison;
  readonly verdict: NonNullable<VariantResult["verdict"]>;
}

/**
 * Estimates a variant on its node; null without a common round.
 *
 * @param tests number of all variants that are judged together
 * @param shared spread between the set-ups of the node
 */
export function estimateOnNode(
  blocks: readonly Block[],
  baseline: readonly Block[],
  tests: number,
  shared: Deviation | null = null,
): Pick<NodeEstimate, "estimate" | "spread"> | null {
  const differences = logSpeedups(blocks, baseline);
  const estimate = estimateDifferences(differences, { level: LEVEL, tests, shared });
  return estimate === null ? null : { estimate, spread: spreadOf(differences) };
}

/** Returns the noise floor of a node: its baseline against its control arm. */
export function floorOnNode(
  controlArm: readonly Block[] | null,
  baseline: readonly Block[],
  shared: Deviation | null = null,
): number | null {
  const estimate = controlArm === null ? null : estimateDifferences(logSpeedups(controlArm, baseline), { shared });
  return estimate === null ? null : noiseFloor(estimate);
}

/**
 * Judges the variants of one adapter together. Nodes are never compared with each other: a variant has the ratio to its
 * node's baseline, and over several nodes a random-effects estimate. The correction covers all variants.
 *
 * @param variants estimates of each variant, by node
 */
export function judgeMerged(variants: readonly (readonly NodeEstimate[])[], minEffect: number): MergedJudgement[] {
  const estimates = variants.map((nodes) =>
    nodes.length === 1 ? nodes[0]!.estimate : poolNodes(nodes.map(({ estimate }) => estimate))
  );
  const adjusted = holm(estimates.map(({ p }) => p));
  return estimates.map((estimate, i) => {
    const nodes = variants[i]!;
    const band = Math.max(minEffect, ...nodes.map(({ floor }) => floor ?? 0));
    const quality = nodes.map(({ quality }) => quality).find((quality) => quality?.kept === false) ?? nodes[0]!.quality;
    const unequal = nodes.find(({ unequal }) => unequal !== null)?.unequal ?? null;
    const evidence = { estimate, adjustedP: adjusted[i]!, tests: variants.length, band, quality, unequal };
    const { verdict, reason } = judge(evidence);
    return {
      verdict,
      comparison: {
        pairs: estimate.rounds,
        setups: estimate.setups,
        spread: nodes[0]!.spread,
        speedup: ratioOf(estimate),
        level: LEVEL,
        reached: estimate.reached,
        method: estimate.method,
        companion: null,
        p: estimate.p,
        adjustedP: adjusted[i]!,
        smallestP: estimate.smallestP,
        band,
        reason,
      },
    };
  });
}
