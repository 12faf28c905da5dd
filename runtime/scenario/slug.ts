import { shown } from "../core/shown.ts";
import { isPlain } from "./merge.ts";

/** Names of scenarios and variants, which appear in file names, tables and lists on the command line. */
export const SLUG = /^[A-Za-z][A-Za-z0-9_.=-]*$/;

export const SLUG_RULE = "a letter, then letters, digits and - _ . =";

/** Formats a value as part of a variant's name in a sweep. */
export function slugOf(value: unknown): string {
  const text = textOf(value).replaceAll(/[^A-Za-z0-9_.+-]+/g, "-").replaceAll(/^-(?!\d)|-$/g, "");
  return text.slice(0, 40) || "-";
}

/** Characters of a value that a name is made of. */
const TEXT_LENGTH = 200;

/** Represents a record by its `kind` or `level` if that is all it has. */
function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (!isPlain(value)) return shown(value, TEXT_LENGTH);
  const { kind, level } = value;
  const name = kind ?? level;
  const rest = Object.keys(value).length - 1;
  return typeof name === "string" && rest === 0 ? name : shown(value, TEXT_LENGTH);
}

/** Names given so far. */
export class NamePool {
  readonly #taken = new Set<string>();
  /** Number of the next candidate, by name. */
  readonly #next = new Map<string, number>();

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  add(name: string): void {
    this.#taken.add(name);
  }

  /** Takes `name`, or the first of `name-2`, `name-3`, ... that is not taken, and returns it. */
  take(name: string): string {
    let free = name;
    let i = this.#next.get(name) ?? 2;
    while (this.#taken.has(free)) free = `${name}-${i++}`;
    this.#next.set(name, i);
    this.#taken.add(free);
    return free;
  }
}
