import type { MemoryUse, Plan } from "../compile/plan.ts";
import type { MemoryPoint } from "../result/schema.ts";

/**
 * Returns the device memory in use while each op of a step runs. Memory kept across steps always counts; shared slots count
 * only while they hold a live tensor, so all points may be below the planned peak.
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
