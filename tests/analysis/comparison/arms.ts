import type { ArmBlocks, CompareInput } from "../../../runtime/analysis/comparison/compare.ts";
import { toByPhase } from "../../../runtime/record/phases.ts";
import type { Block, Quality, StepRecord } from "../../../runtime/result/schema.ts";

/** A block of 100 samples for each wall time, by round; null leaves a round out. */
export function blocks(walls: readonly (number | null)[], samples = 100): Block[] {
  return walls.flatMap((wall, round) => wall === null ? [] : [{ round, position: 0, samples, wall, steps: [] }]);
}

/** A step of which only the time is known. */
export function timedStep(index: number, batchCost: number | null): StepRecord {
  const unknown = { readerCost: null, stepTime: null, iterationGap: null, loss: null };
  return { index, batchCost, ...unknown, ...toByPhase<number>([]) };
}

export function arm(name: string, walls: readonly (number | null)[], quality: Quality | null = null): ArmBlocks {
  return { name, blocks: blocks(walls), quality, updates: null, work: null, failed: false };
}

/** The first of the arms is the baseline. */
export function input(arms: readonly ArmBlocks[], fields: Partial<CompareInput> = {}): CompareInput {
  return { baseline: arms[0]!.name, arms, controlArm: null, minEffect: 0.01, byPrecision: false, seed: 1, ...fields };
}
