import type { MemoryPoint } from "../result/schema.ts";

/** What device memory is taken for. */
export const MEMORY_CLASSES = ["parameters", "gradients", "optimizer", "activations", "workspace", "feed"] as const;

export type MemoryClass = (typeof MEMORY_CLASSES)[number];

/** Bytes of all classes together. */
export function usedBytes(point: MemoryPoint): number {
  return MEMORY_CLASSES.reduce((sum, name) => sum + point[name], 0);
}

/** The first op at which most memory is in use; null without ops. */
export function memoryPeak(points: readonly MemoryPoint[]): MemoryPoint | null {
  return points.reduce<MemoryPoint | null>(
    (peak, point) => peak === null || usedBytes(point) > usedBytes(peak) ? point : peak,
    null,
  );
}
