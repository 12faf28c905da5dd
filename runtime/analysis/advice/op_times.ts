import type { OpRecord } from "../../result/ops.ts";

/** Returns true for matrix products and convolutions. */
export function isProduct({ roles }: Pick<OpRecord, "roles">): boolean {
  return roles.includes("product");
}

/** Returns the time of all profiled ops in a step: the sum of their medians, in ms. */
export function opTime(ops: readonly OpRecord[]): number {
  return ops.reduce((sum, { median }) => sum + (median ?? 0), 0);
}

/** Returns the sum of the shortest calls in ms, which other load on the machine affects less than medians. */
export function shortestTime(ops: readonly OpRecord[]): number {
  return ops.reduce((sum, op) => sum + shortest(op), 0);
}

/** Returns the time of an op's shortest call in ms; 0 if it was not timed. */
export function shortest({ min, median }: Pick<OpRecord, "min" | "median">): number {
  return min || median || 0;
}

/** Returns the median, the upper of two middle values; 0 without values. */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
