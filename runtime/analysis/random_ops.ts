import type { OpRecord } from "../result/ops.ts";

/** The ops that draw random signals: by themselves, or as part of what they are fused with. */
export function randomOps(ops: readonly OpRecord[]): OpRecord[] {
  return ops.filter(({ phase, type, kernel }) =>
    phase === "forward" &&
    [type, ...kernel.split(/[.+]/)].some((name) => name === "dropout" || name.startsWith("random"))
  );
}
