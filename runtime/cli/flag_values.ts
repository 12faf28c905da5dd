/**
 * Parsers of flag values. Each function returns the parser for one flag.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { type ProfileRequest, profileWindow } from "../record/schedule.ts";
import { isRunName } from "../store/run_name.ts";
import { tableEntry } from "../core/table_entry.ts";

/** Values that a flag or an argument takes, for completion. */
export type Takes =
  | { readonly kind: "choice"; readonly choices: readonly string[]; readonly several: boolean }
  | { readonly kind: "run" | "file" | "folder" };

/** Parser of a value, with what it takes where that can be completed. */
export type ValueParser<T> = ((text: string) => T) & { readonly takes?: Takes };

function taking<T>(takes: Takes, parse: (text: string) => T): ValueParser<T> {
  return Object.assign(parse, { takes });
}

/** Parses a whole number of at least `least`. */
export function wholeNumber(flag: string, least: number): (text: string) => number {
  return (text) => {
    const value = toWhole(text);
    if (value >= least) return value;
    throw new InputError(`${flag}: expected a whole number of at least ${least}, got "${text}"`);
  };
}

/** Parses a number of at least `least`, or above it. */
export function decimal(flag: string, least: number, options: { above?: boolean } = {}): (text: string) => number {
  return (text) => {
    const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
    if (Number.isFinite(value) && (options.above ? value > least : value >= least)) return value;
    const range = options.above ? `above ${least}` : `of at least ${least}`;
    throw new InputError(`${flag}: expected a number ${range}, got "${text}"`);
  };
}

/** Parses names separated by commas. */
export function names(flag: string): (text: string) => string[] {
  return (text) => {
    const list = text.split(",").map((name) => name.trim());
    if (list.every((name) => name !== "")) return list;
    throw new InputError(`${flag}: expected names separated by commas, got "${text}"`);
  };
}

/** Parses one of `known`. */
export function oneOf<T extends string>(flag: string, known: readonly T[]): ValueParser<T> {
  return taking({ kind: "choice", choices: known, several: false }, (text) => {
    const found = known.find((name) => name === text);
    if (found !== undefined) return found;
    const close = suggestion(text, known);
    const hint = close.startsWith("; did") ? close : "";
    throw new InputError(`${flag}: expected ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, got "${text}"${hint}`);
  });
}

/** Parses several of `known`, separated by commas. */
export function someOf<T extends string>(flag: string, known: readonly T[]): ValueParser<T[]> {
  const [split, pick] = [names(flag), oneOf(flag, known)];
  const parse = (text: string) => [...new Set(split(text).map(pick))];
  return taking({ kind: "choice", choices: known, several: true }, parse);
}

/** Two names, as in `--diff A B`. */
export type Pair = readonly [a: string, b: string];

/** Collects the pairs of a flag with two values, which `parseCommand` hands over one by one. */
export function pairs(flag: string): (text: string, before?: readonly Pair[]) => readonly Pair[] {
  let first: string | null = null;
  return (text, before = []) => {
    if (text === "") throw new InputError(`${flag}: expected two names, got ""`);
    if (first === null) {
      first = text;
      return before;
    }
    const pair: Pair = [first, text];
    first = null;
    return [...before, pair];
  };
}

/** Returns true for the declaration of a flag with two values: `--diff <a> <b>`. */
export function takesPair(flags: string): boolean {
  return /<\w+> <\w+>$/.test(flags);
}

/** Parses `0`, `1` or `2`. */
export function level(flag: string): ValueParser<0 | 1 | 2 | 3> {
  return taking({ kind: "choice", choices: ["0", "1", "2", "3"], several: false }, (text) => {
    const value = toWhole(text);
    if (value === 0 || value === 1 || value === 2 || value === 3) return value;
    throw new InputError(`${flag}: expected 0, 1, 2 or 3, got "${text}"`);
  });
}

/** Parses a range of steps: `20:30` means the steps 20 to 29. */
export function stepWindow(flag: string): (text: string) => ProfileRequest {
  return (text) => {
    const [first = NaN, end = NaN, ...rest] = text.split(":").map(toWhole);
    if (rest.length === 0 && first < end) return profileWindow(first, end);
    throw new InputError(
      `${flag}: expected the first step and the one after the last, such as 20:30, got "${text}"`,
    );
  };
}

/** Parses the name of a folder, which need not exist. */
export function folder(flag: string): ValueParser<string> {
  return taking({ kind: "folder" }, (text) => {
    if (text !== "") return text;
    throw new InputError(`${flag}: expected the name of a folder, got ""`);
  });
}

/** Parses the name of a file, or an address. */
export function file(flag: string): ValueParser<string> {
  return taking({ kind: "file" }, (text) => {
    if (text !== "") return text;
    throw new InputError(`${flag}: expected the name of a file, got ""`);
  });
}

/** Units of times, in ms. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Parses a time, such as `30s`, `2m` or `500ms`, to ms. */
export function duration(flag: string): (text: string) => number {
  return (text) => {
    const [, value, unit = ""] = /^(\d+\.?\d*)(ms|s|m|h)$/.exec(text) ?? [];
    const ms = Number(value) * (unit === "ms" ? 1 : UNITS[unit === "m" ? "min" : unit] ?? NaN);
    if (ms > 0 && ms < 2 ** 31) return ms; // the longest timer
    throw new InputError(`${flag}: expected a time, such as 30s, 2m or 500ms, got "${text}"`);
  };
}

/** Parses the ID of a kept run, a part of it, or `last`. */
export function runName(flag: string): ValueParser<string> {
  return taking({ kind: "run" }, (text) => {
    if (isRunName(text)) return text;
    const fix = text.includes("=") ? `; put ${flag} after the settings, or write ${flag}=last` : "";
    throw new InputError(`${flag}: expected the ID of a kept run, or last, got "${text}"${fix}`);
  });
}

/** Parses a whole number, or returns NaN. */
function toWhole(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : NaN;
}

/** Parses a moment given as an age (`30d`, `12h`) or a date (`2026-11-20`, `2026-11-20T08:30`), in ms since 1970. */
export function moment(flag: string, now: number = Date.now()): (text: string) => number {
  return (text) => {
    const [, amount, unit] = text.match(/^(\d+(?:\.\d+)?)\s*([a-z]+)$/i) ?? [];
    const length = unit === undefined ? undefined : tableEntry(UNITS, unit.toLowerCase());
    const time = length === undefined ? NaN : now - Number(amount) * length;
    if (Number.isFinite(time)) return time;
    if (/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$/.test(text)) {
      // A date without a time would mean midnight UTC
      const time = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(" ", "T"));
      if (Number.isFinite(time)) return time;
    }
    throw new InputError(
      `${flag}: expected an age such as 30d, 12h or 45min, or a date such as 2026-11-20, got "${text}"`,
    );
  };
}
