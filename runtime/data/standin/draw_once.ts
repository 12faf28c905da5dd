/**
 * Folders of generated data in the cache, drawn once.
 *
 * @module
 */
import { join } from "node:path";
import { InputError, InterruptedError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { cacheFolder } from "./cache.ts";

/** Folder of generated data. */
export interface Drawn {
  readonly folder: string;
  /** Name in messages: `the stand-in for CIFAR-10`. */
  readonly what: string;
  /** Size in megabytes. */
  readonly megabytes: number;
  /** Alternatives for the user, in messages. */
  readonly instead: string;
}

/** Attempts to remove a temporary folder, 50 ms apart. */
const REMOVALS = 40;

/** Age in milliseconds at which the temporary folder of a crashed process is removed. */
const STALE_MS = 3600_000;

/**
 * Draws data unless it is in the cache folder. Draws into a temporary folder and renames it once it is complete, so that
 * neither a crash nor a second process leaves an incomplete set.
 *
 * @param draw writes the files to a folder
 * @returns the folder
 * @throws {InputError} if the cache folder cannot be written
 * @throws {InterruptedError} if the signal is aborted
 */
export async function drawOnce(
  drawn: Drawn,
  signal: AbortSignal | undefined,
  draw: (folder: string) => Promise<void>,
): Promise<string> {
  const { folder } = drawn;
  if (exists(drawn)) return folder;
  if (signal?.aborted) throw new InterruptedError();
  const temporary = makeTemporary(drawn);
  try {
    await draw(temporary);
    moveInto(temporary, drawn);
  } finally {
    await removeTemporary(temporary);
  }
  return folder;
}

function makeTemporary(drawn: Drawn): string {
  try {
    Deno.mkdirSync(cacheFolder(), { recursive: true });
    removeStale(`${drawn.folder}.`);
    const temporary = `${drawn.folder}.${crypto.randomUUID()}`;
    Deno.mkdirSync(temporary);
    return temporary;
  } catch (error) {
    throw cannotWrite(drawn, cacheFolder(), reasonOf(error));
  }
}

/** Removes the temporary folders of crashed processes. */
function removeStale(prefix: string): void {
  for (const entry of Deno.readDirSync(cacheFolder())) {
    const path = join(cacheFolder(), entry.name);
    if (path.startsWith(prefix) && Date.now() - modified(path) > STALE_MS) removeFolder(path);
  }
}

/** Returns the folder's modification time in milliseconds, or the present if another process has moved or removed it. */
function modified(path: string): number {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Date.now();
    throw error;
  }
}

/** Renames the complete set. If another process was first, its set is the same. */
function moveInto(temporary: string, drawn: Drawn): void {
  try {
    Deno.renameSync(temporary, drawn.folder);
  } catch (error) {
    if (!exists(drawn)) throw cannotWrite(drawn, drawn.folder, reasonOf(error));
  }
}

/** Returns the error for a folder that cannot be written. */
export function cannotWrite({ what, megabytes, instead }: Drawn, folder: string, reason: string): InputError {
  return new InputError(
    `Cannot draw ${what} into ${folder}: ${reason}; free ${megabytes} MB there, set the environment variable ` +
      `TACHO_CACHE to another cache folder, or ${instead}`,
  );
}

/** Removes a temporary folder. Retries, since a terminated worker may still be writing a file. */
async function removeTemporary(path: string): Promise<void> {
  for (let attempt = 1; attempt <= REMOVALS; attempt++) {
    try {
      return removeFolder(path);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  // Otherwise `removeStale` removes it later
}

function removeFolder(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function exists(drawn: Drawn): boolean {
  try {
    Deno.statSync(drawn.folder);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw cannotWrite(drawn, drawn.folder, reasonOf(error));
  }
}
