import type { MemoryUse, PlannedNode } from "../compile/plan.ts";
import type { MemoryPoint } from "../result/schema.ts";

/**
 * Device memory in use while each op of a step runs. What is kept across steps counts throughout; of the shared slots only
 * what holds a tensor that is still needed, which is why a point may lie below the planned peak.
 */
export function memoryPoints(nodes: readonly PlannedNode[], memory: MemoryUse): MemoryPoint[] {
  const { parameters, gradients, optimizer, feed } = memory;
  return nodes.map(({ id, live }) => ({ op: id, parameters, gradients, optimizer, ...live, feed }));
}
