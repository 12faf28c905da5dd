import type { ArmBlocks, CompareInput } from "../../../runtime/analysis/comparison/compare.ts";
import type { Block, Quality } from "../../../runtime/result/schema.ts";

/** A block of 100 samples for each wall time, by round; null leaves a round out. */
export function blocks(walls: readonly (number | null)[], samples = 100): Block[] {
  return walls.flatMap((wall, round) => wall === null ? [] : [{ round, position: 0, samples, wall, steps: [] }]);
}

export function arm(name: string, walls: readonly (number | null)[], quality: Quality | null = null): ArmBlocks {
  return { name, blocks: blocks(walls), quality, updates: null, work: null, failed: false };
}

/** The first of the arms is the baseline. */
export function input(arms: readonly ArmBlocks[], fields: Partial<CompareInput> = {}): CompareInput {
  return { baseline: arms[0]!.name, arms, controlArm: null, minEffect: 0.01, byPrecision: false, seed: 1, ...fields };
}
