/** What names of scenarios and variants look like: they stand in file names, tables and lists on the command line. */
export const SLUG = /^[A-Za-z][A-Za-z0-9_.=-]*$/;

export const SLUG_RULE = "a letter, then letters, digits and - _ . =";

/** `value` as a part of a variant's name that a sweep made. */
export function slugOf(value: unknown): string {
  const text = textOf(value).replaceAll(/[^A-Za-z0-9_.+-]+/g, "-").replaceAll(/^-(?!\d)|-$/g, "");
  return text.slice(0, 40) || "-";
}

/** A record is called by what tells it from others of its sort, where it says so. */
function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { kind, level } = value as { kind?: unknown; level?: unknown };
  const name = kind ?? level;
  const rest = Object.keys(value).length - 1;
  return typeof name === "string" && rest === 0 ? name : JSON.stringify(value) ?? "value";
}
