import { z } from "zod";
import { InputError } from "../core/errors.ts";

/** The store, or something in it, cannot be used. Exit status 2. */
export class StoreError extends InputError {
  override name = "StoreError";
}

const ELSEWHERE = "name another folder with --store DIR or TACHO_STORE, or keep nothing with --no-store";

const LOCKED = /is locked|busy/i;

const DAMAGE = /malformed|not a database|corrupt/i;

/** What SQLite and the file system say, and what to tell about it. */
const KINDS: readonly (readonly [RegExp, (file: string) => string])[] = [
  [
    DAMAGE,
    (file) =>
      `is damaged; move ${file}* away, and a new one is made. What can still be read, SQLite's own tool saves: ` +
      `sqlite3 ${file} .recover`,
  ],
  [/is full|no space|file too large|quota/i, () => `has no space left; free some, or ${ELSEWHERE}`],
  [LOCKED, () => "is in use by another process that does not let go; try again when that has ended"],
  [/readonly|read-only/i, () => `cannot be written; ${ELSEWHERE}`],
  [/denied/i, () => `cannot be opened by this user; ${ELSEWHERE}`],
  [
    /unable to open|not a directory|is a directory|no such file|file exists/i,
    () => `cannot be opened; expected a folder that can be written. Make it one, or ${ELSEWHERE}`,
  ],
  [/disk i\/o/i, () => `cannot be read or written; check the disk and its free space, or ${ELSEWHERE}`],
];

/** An error of SQLite, the file system or a row's content as one that says what to do; others are given back. */
function storeProblem(error: unknown, file: string): unknown {
  if (error instanceof InputError || !(error instanceof Error)) return error;
  const words = isUnreadable(error) ? "corrupt content" : error.message;
  const known = KINDS.find(([pattern]) => pattern.test(words));
  const fromSqlite = codeOf(error) === "ERR_SQLITE_ERROR";
  if (known === undefined && !fromSqlite) return error;
  const advice = known?.[1](file) ?? "cannot be used";
  return new StoreError(`The store ${file} ${advice} (${words})`, { cause: error });
}

/** Whether something in the store is not what was written: zlib's checksum, JSON's syntax or a schema says so. */
function isUnreadable(error: Error): boolean {
  return error instanceof SyntaxError || error instanceof z.ZodError || codeOf(error).startsWith("Z_");
}

function codeOf(error: Error): string {
  return String((error as { code?: unknown }).code);
}

/** Whether SQLite was kept from its work by another process. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && LOCKED.test(error.message);
}

/** Does `work` on the store in `file`, and makes its errors readable. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeProblem(error, file);
  }
}
