import type { OpRecord } from "../../result/ops.ts";

/** Tools whose profile format is supported. */
export const DIALECTS = ["singa", "nnc", "paddle", "mindinsight"] as const;

export type Dialect = (typeof DIALECTS)[number];

/** Returns a tool's name of an op: the alias that the op declares, or its type in Pascal case, `MaxPool2d`. */
export function opName(dialect: Dialect, { aliases, type }: Pick<OpRecord, "aliases" | "type">): string {
  return aliases[dialect] ?? type.split(/[_.\s]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
