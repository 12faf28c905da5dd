import { bytesOfBatch } from "../../compile/budget.ts";
import type { Memory } from "../../result/variant.ts";

/**
 * Fraction of the memory limit to use. Allocations are planned to the byte, but the plan of a larger batch takes up to 0.9 %
 * more than is expected here, by `deno task bench:batch-memory`; see bench/RESULTS.md.
 */
const ROOM = 0.99;

/** Returns true if memory, and not the data, keeps a batch twice as large from fitting. */
export function boundsBatch(memory: Memory, limit: number): boolean {
  return !fitsBatch(memory, 2, limit);
}

/** Returns true if a batch `factor` times as large fits. */
export function fitsBatch(memory: Memory, factor: number, limit: number): boolean {
  return bytesOfBatch(memory, factor) <= limit * ROOM;
}
