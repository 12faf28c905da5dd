import { dirname } from "node:path";
import { LARGEST, openToWrite, readFile, writeAll } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import { tryLock } from "../../store/run_lock.ts";
import { StoreError } from "../../store/problems.ts";

/** Error codes of a file system without space. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Error codes of a file system without sync. */
const UNSYNCABLE: ReadonlySet<unknown> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * A file of a shard, to which one process appends. Its lock keeps others out. On file systems whose locks are missing, or do
 * not reach other machines, a process notices at its next write that another one has written.
 */
export class ShardLog {
  readonly path: string;
  readonly #file: Deno.FsFile;
  /** Length after the last write of this process, in bytes. */
  #size = 0;

  private constructor(path: string, file: Deno.FsFile) {
    this.path = path;
    this.#file = file;
  }

  /**
   * Opens or creates a file and locks it.
   *
   * @throws {StoreError} if it cannot be opened, or another process has it
   */
  static open(path: string): ShardLog {
    const log = new ShardLog(path, openLog(path));
    if (tryLock(log.#file, true) !== false) return log;
    log.close();
    throw new StoreError(`${path} is in use: this shard already runs in another process; wait until it ends`);
  }

  /** Returns the content. */
  read(): Uint8Array {
    return readFile(this.path, LARGEST.shard);
  }

  /** Cuts the file off; the next write follows. */
  truncate(bytes: number): void {
    this.#file.truncateSync(bytes);
    this.#file.seekSync(bytes, Deno.SeekMode.Start);
    this.#size = bytes;
  }

  /**
   * Appends a text, which is on disk when this returns. Of one that fails, nothing stays in the file.
   *
   * @throws {StoreError} if it cannot be written, or another process has changed the file
   */
  append(text: string): void {
    this.#checkUnchanged();
    try {
      const bytes = new TextEncoder().encode(text);
      writeAll(this.#file, bytes);
      this.#sync();
      this.#size += bytes.length;
    } catch (error) {
      this.#cutOff();
      const reason = reasonOf(error);
      const advice = FULL.has(codeOf(error))
        ? "free some space, and run the shard again"
        : "run the shard again, in another folder (--shard-dir) if this happens again";
      throw new StoreError(`${this.path} cannot be written (${reason}); ${advice}`, { cause: error });
    }
  }

  close(): void {
    this.#file.close();
  }

  /** Throws if the file at the path is no longer what this process wrote. Slurm may requeue a task that still runs. */
  #checkUnchanged(): void {
    let now: Deno.FileInfo;
    try {
      now = Deno.statSync(this.path);
    } catch (error) {
      throw new StoreError(`${this.path} was removed or moved while its shard ran (${reasonOf(error)})`, {
        cause: error,
      });
    }
    if (now.ino !== this.#file.statSync().ino) {
      throw new StoreError(`${this.path} was replaced while its shard ran; this process ends`);
    }
    if (now.size === this.#size) return;
    throw new StoreError(
      `${this.path} has ${now.size} bytes, but this process has left ${this.#size}: the shard also runs in another ` +
        "process, perhaps on another node; this one ends",
    );
  }

  #sync(): void {
    try {
      this.#file.syncDataSync();
    } catch (error) {
      if (!UNSYNCABLE.has(codeOf(error))) throw error;
    }
  }

  #cutOff(): void {
    try {
      this.truncate(this.#size);
    } catch {
      // an incomplete line at the end is recognised
    }
  }
}

/** Returns the code of a system error, such as `ENOSPC`. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function openLog(path: string): Deno.FsFile {
  try {
    Deno.mkdirSync(dirname(path), { recursive: true });
    return openToWrite(path, { create: true, read: true, write: true });
  } catch (error) {
    throw new StoreError(
      `${path} cannot be opened (${reasonOf(error)}); expected a writable folder, which --shard-dir names`,
      { cause: error },
    );
  }
}
