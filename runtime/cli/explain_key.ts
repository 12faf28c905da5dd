import type { KeyDocument } from "../scenario/document.ts";
import { formatValue } from "../scenario/override.ts";

/** Maximum length of a value to show; longer ones are only in the script. */
const LONGEST_VALUE = 32;

/** Describes a key: `samples per step (integer >= 1; default 32, here 64)`. */
export function explainKey({ path, type, default: fallback, value, description }: KeyDocument): [string, string] {
  const [usual, here] = [showValue(fallback), showValue(value)];
  const given = fallback === undefined ? null : `default ${usual}`;
  const own = value === undefined || here === usual ? null : `here ${here}`;
  const values = [given, own].filter((part) => part !== null).join(", ") || "required";
  return [path, `${description} (${type}; ${values})`.trimStart()];
}

/** Formats a value as on the command line. */
export function showValue(value: unknown): string {
  const text = typeof value === "function" || ArrayBuffer.isView(value) ? "" : formatValue(value);
  return text.length > 0 && text.length <= LONGEST_VALUE ? text : "set in the script";
}
