import { OPS } from "../../ops/ops.ts";
import type { OpDef } from "../graph/op.ts";
import { LOSSES } from "./losses.ts";

/** All ops, one per type: those in `ops/` and those that losses define. */
export const ALL_OPS: readonly OpDef<never>[] = [...OPS, ...LOSSES.flatMap(({ ops = [] }) => ops)];

const byType = new Map(ALL_OPS.map((op) => [op.type, op]));

/** Returns the op of a type, or undefined. */
export function opOfType(type: string): OpDef<never> | undefined {
  return byType.get(type);
}
