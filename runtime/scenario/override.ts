/**
 * Overrides on the command line: `path=value` or, for a sweep, `path=value,value`.
 *
 * A value is a number, `true`, `false`, `null`, a quoted string, a list `[1, 2]`, a record `{init: 1024}`, or an unquoted
 * string. Commas inside brackets, braces and quotes belong to the value. A range such as `16..256:x2` means several
 * values.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { clipped } from "../core/shown.ts";
import { isRange, parseRange } from "./range.ts";

/** A value and its text, for string settings whose value looks like another type. */
export interface OverrideValue {
  readonly value: unknown;
  readonly text: string;
}

export interface Override {
  /** Path of the setting: `["loader", "numWorkers"]`. */
  readonly keys: readonly string[];
  /** One value, or several for a sweep. */
  readonly values: readonly OverrideValue[];
}

/** Key with a meaning in JavaScript, which checks of records leave out. */
const PROTO = "__proto__";

const PATH = /^[A-Za-z_]\w*(\.\w+)*$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORDS: ReadonlyMap<string, unknown> = new Map([["true", true], ["false", false], ["null", null]]);

/**
 * Parses an override.
 *
 * @throws {InputError} if the text is not `key=value`, or a value is malformed
 */
export function parseOverride(text: string): Override {
  const at = text.indexOf("=");
  const path = (at < 0 ? text : text.slice(0, at)).trim();
  if (at < 0 || !PATH.test(path)) {
    throw new InputError(`"${clipped(text)}": expected key=value, such as loader.numWorkers=0,2`);
  }
  const keys = path.split(".");
  if (keys.includes(PROTO)) throw new InputError(`"${clipped(text)}": ${PROTO} is no setting`);
  return { keys, values: new Parser(text, at + 1).values() };
}

/** Formats an override so that {@linkcode parseOverride} reads it back: `loader.numWorkers=2`. */
export function formatOverride(path: string, value: unknown): string {
  return `${path}=${formatValue(value)}`;
}

/** Formats plain data as the right side of an override. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${formatValue(item)}`).join(",")}}`;
  }
  if (typeof value !== "string") return String(value);
  const bare = /^[\w./\\+-]([\w./\\ +-]*[\w./\\+-])?$/.test(value) && !NUMBER.test(value) && !WORDS.has(value) &&
    !isRange(value);
  return bare ? value : JSON.stringify(value);
}

/** Most lists and records around a value. */
const MAX_DEPTH = 100;

class Parser {
  #at: number;
  /** Lists and records around the place. */
  #depth = 0;

  readonly text: string;

  constructor(text: string, start: number) {
    this.text = text;
    this.#at = start;
  }

  /** Parses values up to the end of the text. */
  values(): OverrideValue[] {
    const values = this.#written();
    while (this.#take(",")) values.push(...this.#written());
    if (this.#at < this.text.length) this.#fail(`"," or the end of the text`);
    return values;
  }

  /** Parses a value, or all values of a range. */
  #written(): OverrideValue[] {
    this.#skip();
    const start = this.#at;
    const value = this.#value(",");
    const text = this.text.slice(start, this.#at).trim();
    return value === text && isRange(text) ? this.#range(text) : [{ value, text }];
  }

  #range(text: string): OverrideValue[] {
    const range = parseRange(text);
    if ("problem" in range) throw new InputError(`"${clipped(this.text)}": ${range.problem}, got ${clipped(text)}`);
    return range.values.map((value) => ({ value, text: String(value) }));
  }

  /** Parses a value. One without brackets or quotes ends before any of `stops`. */
  #value(stops: string): unknown {
    this.#skip();
    switch (this.text[this.#at]) {
      case "[":
        return this.#inside(() => this.#list());
      case "{":
        return this.#inside(() => this.#record());
      case '"':
      case "'":
        return this.#quoted();
      default:
        return this.#bare(stops);
    }
  }

  /** Parses a list or a record. */
  #inside<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) this.#fail(`at most ${MAX_DEPTH} lists and records inside one another`);
    const value = parse();
    this.#depth--;
    return value;
  }

  #list(): unknown[] {
    this.#at++;
    const items: unknown[] = [];
    if (this.#take("]")) return items;
    do items.push(this.#value(",]")); while (this.#take(","));
    if (!this.#take("]")) this.#fail(`"," or "]"`);
    return items;
  }

  #record(): Record<string, unknown> {
    this.#at++;
    const entries: [string, unknown][] = [];
    if (this.#take("}")) return {};
    do {
      this.#skip();
      const quoted = this.text[this.#at] === '"' || this.text[this.#at] === "'";
      const key = quoted ? this.#quoted() : this.#until(":,}").trim();
      if (key === "" || key === PROTO || !this.#take(":")) this.#fail(`a key and ":"`);
      entries.push([key, this.#value(",}")]);
    } while (this.#take(","));
    if (!this.#take("}")) this.#fail(`"," or "}"`);
    return Object.fromEntries(entries);
  }

  /** Parses a JSON string, or the same in single quotes. */
  #quoted(): string {
    const quote = this.text[this.#at]!;
    const start = this.#at++;
    while (this.#at < this.text.length && this.text[this.#at] !== quote) {
      this.#at += this.text[this.#at] === "\\" ? 2 : 1;
    }
    if (this.#at >= this.text.length) this.#fail(`a closing ${quote}`);
    const inner = this.text.slice(start + 1, this.#at++);
    try {
      const json = quote === '"' ? inner : inner.replaceAll("\\'", "'").replaceAll('"', '\\"');
      return JSON.parse(`"${json}"`) as string;
    } catch {
      this.#at = start;
      this.#fail("a string with JSON escapes");
    }
  }

  #bare(stops: string): unknown {
    const word = this.#until(stops).trim();
    if (word === "") this.#fail('a value ("" for an empty string)');
    return NUMBER.test(word) ? Number(word) : WORDS.has(word) ? WORDS.get(word) : word;
  }

  #until(stops: string): string {
    const start = this.#at;
    while (this.#at < this.text.length && !stops.includes(this.text[this.#at]!)) this.#at++;
    return this.text.slice(start, this.#at);
  }

  #take(mark: string): boolean {
    this.#skip();
    if (this.text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    while (this.text[this.#at] === " ") this.#at++;
  }

  #fail(expected: string): never {
    throw new InputError(`"${clipped(this.text)}": expected ${expected} at character ${this.#at + 1}`);
  }
}
