import { factsOf } from "../../runtime/graph/op.ts";
import { opOfType } from "../../runtime/nn/all_ops.ts";
import type { OpRecord } from "../../runtime/result/ops.ts";

/**
 * Returns the facts in the record of an op of `type`. A type that is not an op has the facts of an optimizer's kernel.
 */
export function recordedFacts(type: string): Pick<OpRecord, "precision" | "roles" | "aliases"> {
  const op = opOfType(type);
  if (op === undefined) return { precision: "fixed", roles: [], aliases: {} };
  const { precision, roles, aliases } = factsOf(op);
  return { precision, roles: [...roles], aliases: { ...aliases } };
}
