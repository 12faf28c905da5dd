import type { OpRecord } from "../../result/ops.ts";

/** Tools whose way to print a profile is known. */
export const DIALECTS = ["singa", "nnc", "paddle", "mindinsight"] as const;

export type Dialect = (typeof DIALECTS)[number];

/** What a tool calls an op: the alias that the op declares, or its type in Pascal case, `MaxPool2d`. */
export function opName(dialect: Dialect, { aliases, type }: Pick<OpRecord, "aliases" | "type">): string {
  return aliases[dialect] ?? type.split(/[_.\s]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
