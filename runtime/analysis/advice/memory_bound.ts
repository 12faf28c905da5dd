import { bytesOfBatch } from "../../compile/budget.ts";
import type { Memory } from "../../result/variant.ts";

/** Fraction of the memory limit to use; the rest is for unplanned allocations. */
const ROOM = 0.8;

/** Returns true if memory, and not the data, keeps a batch twice as large from fitting. */
export function boundsBatch(memory: Memory, limit: number): boolean {
  return !fitsBatch(memory, 2, limit);
}

/** Returns true if a batch `factor` times as large fits. */
export function fitsBatch(memory: Memory, factor: number, limit: number): boolean {
  return bytesOfBatch(memory, factor) <= limit * ROOM;
}
