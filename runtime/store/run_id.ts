/** Crockford's base 32: no i, l, o and u, which are taken for others. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** Base-32 digits of a time in milliseconds: enough until the year 3084. */
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 3;

let latest = 0;

/** The time of a new run in milliseconds: now, or as soon after the last one of this process as runs can be told apart. */
export function nextRunTime(): number {
  latest = Math.max(Date.now(), latest + 1);
  return latest;
}

/** A new id: ids sort as the times that they were made at. Two of the same millisecond differ but for 1 in 32,768. */
export function createRunId(started: number): string {
  let time = Math.max(0, Math.floor(started));
  let text = "";
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = DIGITS[time % DIGITS.length]! + text;
    time = Math.floor(time / DIGITS.length);
  }
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS))) text += DIGITS[byte % DIGITS.length]!;
  return text;
}
