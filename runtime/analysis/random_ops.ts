import type { OpRecord } from "../result/ops.ts";

/** The ops that draw random signals: separately, or as part of a fused kernel. */
export function randomOps(ops: readonly OpRecord[]): OpRecord[] {
  return ops.filter(({ phase, roles }) => phase === "forward" && roles.includes("random"));
}
