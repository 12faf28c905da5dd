import { pascalCase } from "../../core/pascal_case.ts";
import type { OpRecord } from "../../result/ops.ts";

/** Tools whose profile format is supported. */
export const DIALECTS = ["singa", "nnc", "paddle", "mindinsight"] as const;

export type Dialect = (typeof DIALECTS)[number];

/**
 * Returns a tool's name of an op: the alias that the op declares, or its type in the tool's case: `max_pool2d` in Paddle,
 * `MaxPool2d` elsewhere. An op that the tool lacks therefore has Tacho's name.
 */
export function opName(dialect: Dialect, { aliases, type }: Pick<OpRecord, "aliases" | "type">): string {
  return aliases[dialect] ?? (dialect === "paddle" ? type : pascalCase(type));
}

/** Returns the ops with the tool's names as their types, by which tables group them. */
export function renamedOps(dialect: Dialect, ops: readonly OpRecord[]): OpRecord[] {
  return ops.map((op) => ({ ...op, type: opName(dialect, op) }));
}
