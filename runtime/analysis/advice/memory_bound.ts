import { bytesOfBatch } from "../../compile/budget.ts";
import type { AdviceContext } from "./context.ts";
import type { PlanChanges } from "./planned_step.ts";

/**
 * Fraction of the memory limit to use. Without a plan of the larger batch, that takes up to 0.9 % more than is expected
 * here, over an MLP, ResNet-20 and a GPT. With one, tuned kernels may need more scratch memory.
 */
const ROOM = 0.99;

type Facts = Pick<AdviceContext, "memory" | "memoryLimit" | "plan">;

/** Returns true if memory, and not the data, keeps a batch twice as large from fitting. */
export function boundsBatch(facts: Facts): boolean {
  return !fits(facts, { batch: 2 });
}

/** Returns true if a step with changes fits in memory, as far as that is known. */
export function fits({ memory, memoryLimit, plan }: Facts, changes: PlanChanges): boolean {
  if (memoryLimit === null || memory === null) return true;
  const planned = plan?.(changes) ?? null;
  if (planned === null && changes.recompute === true) return false;
  return (planned?.memory.peak ?? bytesOfBatch(memory, changes.batch)) <= memoryLimit * ROOM;
}
