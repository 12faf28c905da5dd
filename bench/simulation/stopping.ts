import { compareArms, type Comparisons, halfWidth } from "../../runtime/analysis/comparison/compare.ts";
import { plannedRounds, stopReason } from "../../runtime/experiment/rounds/stopping.ts";
import type { Block } from "../../runtime/result/schema.ts";
import { drawMatrix, type Setup } from "./experiments.ts";

/** Runs rounds until a real experiment with this `precision` would stop, and judges the result. */
export function stopAtPrecision(
  setup: Omit<Setup, "rounds">,
  precision: number,
  seed: number,
): { comparisons: Comparisons; rounds: number } {
  const rules = { rounds: 1, precision, maxTime: null };
  const input = drawMatrix({ ...setup, rounds: plannedRounds(rules) }, seed);
  const reference = input.arms.find(({ name }) => name === input.baseline)!.blocks;
  let rounds = 0;
  const until = (blocks: readonly Block[]) => blocks.filter(({ round }) => round < rounds);
  const variants = input.arms.slice(1);
  const halfWidths = () => variants.map(({ blocks }) => halfWidth(until(blocks), until(reference), variants.length));
  while (stopReason(rules, { rounds, elapsed: 0, lastRound: 0, halfWidths }) === null) rounds++;
  const comparisons = compareArms({
    ...input,
    byPrecision: true,
    arms: input.arms.map((arm) => ({ ...arm, blocks: until(arm.blocks) })),
    controlArm: input.controlArm === null ? null : until(input.controlArm),
  });
  return { comparisons, rounds };
}
