/** Names of scenarios and variants, which appear in file names, tables and lists on the command line. */
export const SLUG = /^[A-Za-z][A-Za-z0-9_.=-]*$/;

export const SLUG_RULE = "a letter, then letters, digits and - _ . =";

/** Formats a value as part of a variant's name in a sweep. */
export function slugOf(value: unknown): string {
  const text = textOf(value).replaceAll(/[^A-Za-z0-9_.+-]+/g, "-").replaceAll(/^-(?!\d)|-$/g, "");
  return text.slice(0, 40) || "-";
}

/** Represents a record by its `kind` or `level` if that is all it has. */
function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { kind, level } = value as { kind?: unknown; level?: unknown };
  const name = kind ?? level;
  const rest = Object.keys(value).length - 1;
  return typeof name === "string" && rest === 0 ? name : JSON.stringify(value) ?? "value";
}

/** Returns `name`, or the first of `name-2`, `name-3`, ... that is not taken. */
export function unusedName(name: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(name)) return name;
  for (let i = 2;; i++) if (!taken.has(`${name}-${i}`)) return `${name}-${i}`;
}
