import { InputError } from "../../core/errors.ts";
import { tableEntry } from "../../core/table_entry.ts";

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

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
