import type { OpRecord } from "../../result/ops.ts";

export function isProduct({ roles }: Pick<OpRecord, "roles">): boolean {
  return roles.includes("product");
}

/** Time of all ops that were profiled: ms; the mean of a call where each runs once a step. */
export function opTime(ops: readonly OpRecord[]): number {
  return ops.reduce((sum, { mean }) => sum + (mean ?? 0), 0);
}

/** The same of their shortest calls, which tell less of what else the machine did meanwhile. */
export function leastTime(ops: readonly OpRecord[]): number {
  return ops.reduce((sum, op) => sum + shortest(op), 0);
}

/** ms of an op's shortest call; 0 where it was not timed. */
export function shortest({ min, mean }: Pick<OpRecord, "min" | "mean">): number {
  return min || mean || 0;
}

/** The middle value, the upper one of two; 0 of none. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
