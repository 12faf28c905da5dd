import type { Database } from "./database.ts";
import { StoreError } from "./problems.ts";
import { newSha256 } from "../core/sha256.ts";

/** Maximum number of IDs to list if a name is ambiguous. */
const SHOWN = 4;

/** Returns true if a name has the form of a run's name, not of a file or a setting. */
export function isRunName(name: string): boolean {
  return /^[\w~]+$/.test(name);
}

/**
 * Resolves the name of a run to its ID: an ID, a unique beginning or end of one, `last` for the latest run that is not
 * running, or `last~1` for the one before it.
 *
 * @throws {StoreError} if no run matches, or several do
 */
export function resolveRunName(db: Database, name: string, running: ReadonlySet<string>): string {
  const back = name.match(/^last(?:~(\d{1,9}))?$/i);
  if (back !== null) return fromLast(db, name, Number(back[1] ?? 0), running);
  const text = name.trim().toLowerCase();
  if (!/^[0-9a-z]+$/.test(text)) {
    throw new StoreError(`Unknown run "${name}": expected an ID, its beginning or end, last, or last~1`);
  }
  for (const pattern of [text, `${text}*`, `*${text}`]) {
    const ids = db.all("SELECT id FROM runs WHERE id GLOB ? ORDER BY id DESC LIMIT 100", pattern)
      .map(({ id }) => String(id));
    if (ids.length === 1) return ids[0]!;
    if (ids.length > 1) {
      const shown = ids.slice(0, SHOWN).join(", ") + (ids.length > SHOWN ? ", ..." : "");
      throw new StoreError(`Run "${name}" is ambiguous: ${shown}; give more of the ID`);
    }
  }
  throw new StoreError(`Unknown run "${name}": no ID in ${db.file} matches; "tacho runs" lists them`);
}

function fromLast(db: Database, name: string, back: number, running: ReadonlySet<string>): string {
  const ids = db.all("SELECT id FROM runs ORDER BY started DESC, id DESC LIMIT ?", back + 1 + running.size)
    .map(({ id }) => String(id)).filter((id) => !running.has(id));
  const id = ids[back];
  if (id !== undefined) return id;
  const count = ids.length === 1 ? "1 run" : `${ids.length} runs`;
  throw new StoreError(`Unknown run "${name}": ${db.file} has ${ids.length === 0 ? "no runs yet" : `only ${count}`}`);
}

/** Crockford's base 32, without the ambiguous letters i, l, o and u. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** Number of base-32 digits of a time in ms: enough until the year 3084. */
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 3;

let latest = 0;

/** Returns the time of a new run in ms: now, or 1 ms after the last run of this process. */
export function nextRunTime(): number {
  latest = Math.max(Date.now(), latest + 1);
  return latest;
}

/** Creates a run ID. IDs sort by time. Two IDs of the same millisecond are equal with a chance of 1 in 32,768. A `key` decides the digits that are otherwise random. */
export function createRunId(started: number, key?: string): string {
  let time = Math.max(0, Math.floor(started));
  let text = "";
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = DIGITS[time % DIGITS.length]! + text;
    time = Math.floor(time / DIGITS.length);
  }
  const bytes = key === undefined
    ? crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS))
    : newSha256().update(key).digest().subarray(0, RANDOM_DIGITS);
  for (const byte of bytes) text += DIGITS[byte % DIGITS.length]!;
  return text;
}

/** Returns true for text that may be the ID of a run, which is safe in paths and addresses. */
export function isRunId(text: string): boolean {
  return /^[0-9a-z]+$/.test(text);
}
