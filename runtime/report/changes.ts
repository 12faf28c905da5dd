import type { Change } from "../result/schema.ts";
import { printable } from "./plain_text.ts";

/** Formats changes of settings: `loader.numWorkers 0 -> 2, sink 0 -> 10`. */
export function changesText(changes: readonly Change[]): string {
  return changes.map(({ path, from, to }) => `${printable(path)} ${valueText(from)} -> ${valueText(to)}`).join(", ");
}

function valueText(value: Change["to"]): string {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `[${value.length} items]`;
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}
