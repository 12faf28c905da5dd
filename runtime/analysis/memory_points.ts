import type { MemoryUse, Plan } from "../compile/plan.ts";
import type { MemoryPoint } from "../result/schema.ts";

/**
 * Device memory in use while each op of a step runs. What is kept across steps counts throughout; of the shared slots only
 * what holds a tensor that is still needed, which is why a point may lie below the planned peak.
 */
export function memoryPoints({ nodes, slotUse }: Pick<Plan, "nodes" | "slotUse">, memory: MemoryUse): MemoryPoint[] {
  const { parameters, gradients, optimizer, feed } = memory;
  const kept = memory.workspace - slotUse.workspace;
  return nodes.map(({ id, live: { activations, workspace } }) => ({
    op: id,
    parameters,
    gradients,
    optimizer,
    activations,
    workspace: kept + workspace,
    feed,
  }));
}
