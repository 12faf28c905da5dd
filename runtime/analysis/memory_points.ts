import type { MemoryUse, Plan } from "../compile/plan.ts";
import type { MemoryPoint, VariantResult } from "../result/schema.ts";

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

/** Classes of device memory. */
export const MEMORY_CLASSES = ["parameters", "gradients", "optimizer", "activations", "workspace", "feed"] as const;

export type MemoryClass = (typeof MEMORY_CLASSES)[number];

/** Returns the planned peak of device memory in bytes, or the recorded one of a program; null if it is unknown. */
export function peakBytes({ memory, exact }: Pick<VariantResult, "memory" | "exact">): number | null {
  return memory?.peak ?? exact?.peakBytes ?? null;
}

/** Returns the bytes of all classes together. */
export function usedBytes(point: MemoryPoint): number {
  return MEMORY_CLASSES.reduce((sum, name) => sum + point[name], 0);
}

/** Returns the first op with the highest memory use; null without ops. */
export function memoryPeak(points: readonly MemoryPoint[]): MemoryPoint | null {
  return points.reduce<MemoryPoint | null>(
    (peak, point) => peak === null || usedBytes(point) > usedBytes(peak) ? point : peak,
    null,
  );
}

/** Most moments of a step in {@linkcode memoryTotals}. */
const MOMENTS = 240;

/** Returns the bytes in use over a step: one value per op, or the highest of neighbours where there are many ops. */
export function memoryTotals(points: readonly MemoryPoint[]): number[] {
  const count = Math.min(MOMENTS, points.length);
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [i, i + 1].map((place) => Math.floor(place * points.length / count));
    return Math.max(...points.slice(from, to).map(usedBytes));
  });
}
