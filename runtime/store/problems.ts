import { z } from "zod";
import { InputError } from "../core/errors.ts";

/** The store, or something in it, is unusable. Exit status 2. */
export class StoreError extends InputError {
  override name = "StoreError";
}

/** Advice for a store that cannot be in its folder. */
export const ELSEWHERE = "set another folder with --store DIR or TACHO_STORE, or keep nothing with --no-store";

const LOCKED = /is locked|busy/i;

const DAMAGE = /malformed|not a database|corrupt/i;

/** Messages of SQLite and the file system, and the advice for each. */
const KINDS: readonly (readonly [RegExp, (file: string) => string])[] = [
  [
    DAMAGE,
    (file) =>
      `is damaged; move ${file}* away to start a new one. To recover what is still readable, use SQLite's own tool: ` +
      `sqlite3 ${file} .recover`,
  ],
  [/is full|no space|file too large|quota/i, () => `has no space left; free some, or ${ELSEWHERE}`],
  [
    LOCKED,
    () =>
      `is locked by another process; try again when that has ended. If there is none, the file system has no locks: ${ELSEWHERE}`,
  ],
  [/readonly|read-only/i, () => `cannot be written; ${ELSEWHERE}`],
  [/denied/i, () => `cannot be opened by this user; ${ELSEWHERE}`],
  [
    /unable to open|not a directory|is a directory|no such file|file exists/i,
    () => `cannot be opened; expected a writable folder. Create it, or ${ELSEWHERE}`,
  ],
  [/disk i\/o/i, () => `cannot be read or written; check the disk and its free space, or ${ELSEWHERE}`],
];

/** Turns an error of SQLite, the file system or a row's content into one with advice. Returns others unchanged. */
function storeProblem(error: unknown, file: string, run?: string): unknown {
  const cause = error instanceof StoreError ? error.cause : error;
  if (run !== undefined && cause instanceof Error && isUnreadable(cause)) {
    const message = `Run ${run} in ${file} is damaged (${cause.message.split("\n")[0]}); other runs are not affected`;
    return new StoreError(message, { cause });
  }
  if (error instanceof InputError || !(error instanceof Error)) return error;
  const words = isUnreadable(error) ? "corrupt content" : error.message;
  const known = KINDS.find(([pattern]) => pattern.test(words));
  const fromSqlite = codeOf(error) === "ERR_SQLITE_ERROR";
  if (known === undefined && !fromSqlite) return error;
  const advice = known?.[1](file) ?? "cannot be used";
  return new StoreError(`The store ${file} ${advice} (${words})`, { cause: error });
}

/** Returns true if an error reports damage, not a store that is unusable for now. */
export function isDamage(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : null;
  return cause instanceof Error && (isUnreadable(cause) || DAMAGE.test(cause.message));
}

/** Returns true for content that fails zlib's checksum, JSON's syntax or a schema, is too large, or is a number that no run has. */
function isUnreadable(error: Error): boolean {
  const code = codeOf(error);
  return error instanceof SyntaxError || error instanceof z.ZodError || code.startsWith("Z_") ||
    code === "ERR_OUT_OF_RANGE" || code === "ERR_BUFFER_TOO_LARGE";
}

function codeOf(error: Error): string {
  return String((error as { code?: unknown }).code);
}

/** Returns true if another process blocked SQLite. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && LOCKED.test(error.message);
}

/**
 * Runs `work` on the store in `file`.
 *
 * @param run ID of the only run that it reads
 * @throws {StoreError} with advice, if the store is unusable
 */
export function guarded<T>(file: string, work: () => T, run?: string): T {
  try {
    return work();
  } catch (error) {
    throw storeProblem(error, file, run);
  }
}
