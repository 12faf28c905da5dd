import { join } from "node:path";
import { openFile, openToWrite } from "../core/files.ts";
import { ELSEWHERE, StoreError } from "./problems.ts";
import { isRunId } from "./run_name.ts";

/** Attempts to take a lock, since a process that checks whether a run is alive holds its lock for an instant. */
const ATTEMPTS = 50;
const PAUSE_MS = 20;

/** Marks a run as alive: a locked file, which the system unlocks when the process ends for any reason. */
export class RunLock {
  readonly #path: string;
  readonly #file: Deno.FsFile;

  private constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * Takes the lock of a run, or returns null if another process has it.
   *
   * @throws {StoreError} if the file system has no locks
   */
  static take(folder: string, id: string): RunLock | null {
    const path = lockFile(folder, id);
    Deno.mkdirSync(join(folder, "running"), { recursive: true, mode: 0o700 });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      const file = openToWrite(path, { create: true, write: true });
      // A lock has no effect on a file that another process has removed meanwhile
      const locked = tryLock(file, true);
      if (locked === true && isStill(path, file)) return new RunLock(path, file);
      file.close();
      if (locked === null) {
        throw new StoreError(`The store ${folder} is on a file system without file locks; ${ELSEWHERE}`);
      }
    }
    return null;
  }

  release(): void {
    removeLock(this.#path);
    this.#file.close();
  }
}

/** Returns true if a process holds the lock of this run. An ID in a store that somebody sent may name any file. */
export function isAlive(folder: string, id: string): boolean {
  if (!isRunId(id)) return false;
  let file: Deno.FsFile;
  try {
    file = openFile(lockFile(folder, id));
  } catch {
    return false;
  }
  try {
    return tryLock(file, false) === false;
  } finally {
    file.close();
  }
}

/** Removes the lock files of killed processes. */
export function clearLocks(folder: string, running: ReadonlySet<string>): void {
  for (const name of lockNames(folder)) {
    // A held lock may belong to a run that has no row yet
    if (!running.has(name) && !isAlive(folder, name)) removeLock(lockFile(folder, name));
  }
}

/** Returns the names of the lock files; none in a folder to which only the database was copied. */
function lockNames(folder: string): string[] {
  try {
    return [...Deno.readDirSync(join(folder, "running"))].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function isStill(path: string, file: Deno.FsFile): boolean {
  try {
    return Deno.statSync(path).ino === file.statSync().ino;
  } catch {
    return false;
  }
}

function lockFile(folder: string, id: string): string {
  return join(folder, "running", id);
}

function removeLock(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // another process removed it, or the folder is read-only; an unlocked file means nothing
  }
}

/**
 * Tries to lock a file for this process alone, or shared with others. The system unlocks it when the process ends.
 *
 * @returns true if locked, false if another process has it, null where the file system has no locks
 */
export function tryLock(file: Deno.FsFile, exclusive: boolean): boolean | null {
  try {
    return file.tryLockSync(exclusive);
  } catch {
    return null;
  }
}
