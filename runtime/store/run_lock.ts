import { join } from "node:path";

/** A process that looks whether a run is alive holds its lock for an instant: attempts, and milliseconds between them. */
const ATTEMPTS = 50;
const PAUSE_MS = 20;

/** The mark of a process that runs a run: a locked file, which the system unlocks however the process ends. */
export class RunLock {
  readonly #path: string;
  readonly #file: Deno.FsFile;

  private constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
  }

  /** Takes the lock of a run, or gives null when another process has it. */
  static take(folder: string, id: string): RunLock | null {
    const path = lockFile(folder, id);
    Deno.mkdirSync(join(folder, "running"), { recursive: true, mode: 0o700 });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      const file = Deno.openSync(path, { create: true, write: true });
      // A lock on a file that another process has removed meanwhile keeps nobody out
      if (file.tryLockSync(true) && isStill(path, file)) return new RunLock(path, file);
      file.close();
    }
    return null;
  }

  release(): void {
    removeLock(this.#path);
    this.#file.close();
  }
}

/** Whether a process runs this run. */
export function isAlive(folder: string, id: string): boolean {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(lockFile(folder, id));
  } catch {
    return false;
  }
  try {
    return !file.tryLockSync(false);
  } finally {
    file.close();
  }
}

/** Removes lock files that killed processes have left behind. */
export function clearLocks(folder: string, running: ReadonlySet<string>): void {
  for (const { name } of Deno.readDirSync(join(folder, "running"))) {
    // One that is held is of a run that is about to be written down
    if (!running.has(name) && !isAlive(folder, name)) removeLock(lockFile(folder, name));
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
    // another process has removed it, or the folder can be written no more: the file alone means nothing
  }
}
