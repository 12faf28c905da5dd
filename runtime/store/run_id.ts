import { newSha256 } from "../core/sha256.ts";

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
