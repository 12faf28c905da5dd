import { factsOf } from "../../runtime/graph/op.ts";
import { opOfType } from "../../runtime/nn/all_ops.ts";
import type { OpRecord } from "../../runtime/result/ops.ts";

/** Facts as the record of an op of `type` has them; for a type that is no op, those of an optimizer's kernel. */
export function recordedFacts(type: string): Pick<OpRecord, "precision" | "roles" | "aliases"> {
  const op = opOfType(type);
  if (op === undefined) return { precision: "fixed", roles: [], aliases: {} };
  const { precision, roles, aliases } = factsOf(op);
  return { precision, roles: [...roles], aliases: { ...aliases } };
}
