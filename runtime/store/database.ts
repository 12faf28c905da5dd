import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { networkFileSystem } from "./network_folder.ts";
import { ELSEWHERE, guarded, isLocked, StoreError } from "./problems.ts";
import { APPLICATION_ID, MIGRATIONS, STORE_VERSION } from "./tables.ts";

/** Maximum time to wait for another process that writes. */
const TIMEOUT_MS = 30_000;

/** Pause between attempts. */
const PAUSE_MS = 5;

/** File name of the store in its folder. */
const FILE = "runs.sqlite";

/** Endings of the files that SQLite opens. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

/** Errors of a store that may still be readable. */
const UNWRITABLE = /cannot be (written|opened|read or written)|has no space left/;

export type Row = Record<string, unknown>;

/** SQLite file of a store. Errors are `StoreError`s with advice. */
export class Database {
  readonly file: string;
  readonly #db: DatabaseSync;
  /** True if the latest changes are invisible, since they are in a log that could not be opened. */
  readonly stale: boolean;
  readonly #statements = new Map<string, StatementSync>();
  /** Identifies the file, to detect its replacement; null if the system has no inodes. */
  readonly #inode: number | null;

  private constructor(file: string, db: DatabaseSync, stale = false) {
    this.file = file;
    this.stale = stale;
    this.#db = db;
    this.#inode = inodeOf(file);
  }

  /**
   * Opens the store in `folder`, creating or migrating it if necessary.
   *
   * @throws {StoreError} if it cannot be opened or written, is damaged, belongs to a newer version, or would be on a network
   *   file system
   */
  static open(folder: string): Database {
    const file = join(folder, FILE);
    checkLocal(folder, file);
    return guarded(file, () => {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      checkFiles(file);
      const db = new DatabaseSync(file, { timeout: TIMEOUT_MS, enableForeignKeyConstraints: true });
      try {
        const database = new Database(file, db);
        database.#prepare();
        return database;
      } catch (error) {
        db.close();
        throw error;
      }
    });
  }

  /**
   * Opens the store in `folder` for reading, or returns null if it does not exist. If nothing can be written, as on a full
   * disk, reads the file as it is.
   */
  static openToRead(folder: string): Database | null {
    const file = join(folder, FILE);
    return guarded(file, () => {
      if (!exists(file)) return null;
      try {
        return Database.open(folder);
      } catch (error) {
        if (!(error instanceof StoreError) || !UNWRITABLE.test(error.message)) throw error;
        const url = pathToFileURL(file);
        url.search = "immutable=1"; // needs no lock and no shared memory, which would be written
        const database = new Database(file, new DatabaseSync(url, { readOnly: true }), sizeOf(`${file}-wal`) > 0);
        database.#checkVersion();
        return database;
      }
    });
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return guarded(this.file, () => Number(this.#statement(sql).run(...values).changes));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return guarded(this.file, () => this.#statement(sql).get(...values));
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return guarded(this.file, () => this.#statement(sql).all(...values));
  }

  /** Runs `work` in a transaction, which is on disk when this returns. One inside another is a part of it. */
  transaction<T>(work: () => T): T {
    if (this.#db.isTransaction) return work();
    return guarded(this.file, () => {
      this.#db.exec("BEGIN IMMEDIATE");
      try {
        const value = work();
        this.#db.exec("COMMIT");
        return value;
      } catch (error) {
        // SQLite has already rolled back if the disk is full
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /** @throws {StoreError} if the file was moved or removed since it was opened, so that writes to it are lost */
  checkPlace(): void {
    if (inodeOf(this.file) === this.#inode) return;
    throw new StoreError(`The store ${this.file} was moved, removed or replaced while it was in use`);
  }

  /** Returns the space of removed rows to the file system. */
  shrink(): void {
    guarded(this.file, () => this.#db.exec("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #pragma(name: string): unknown {
    return Object.values(this.#db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  }

  #prepare(): void {
    const version = this.#checkVersion();
    // Lets `shrink` work without space for a second copy; has an effect only before the first table
    if (version === 0) this.#db.exec("PRAGMA auto_vacuum = INCREMENTAL");
    // A commit is on disk when it returns, and readers do not wait for a writer
    retryWhileLocked(() => this.#pragma("journal_mode") === "wal" || this.#pragma("journal_mode = WAL"));
    this.#db.exec("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON");
    if (version < STORE_VERSION) this.transaction(() => this.#migrate());
  }

  #checkVersion(): number {
    const { version, application, isEmpty } = this.#identity();
    if (isEmpty) return 0;
    if (application !== APPLICATION_ID) {
      throw new StoreError(`${this.file} is not a Tacho store; set another folder with --store DIR or TACHO_STORE`);
    }
    if (version > STORE_VERSION) {
      throw new StoreError(
        `The store ${this.file} was written by a newer Tacho (store version ${version}, supported ${STORE_VERSION}); ` +
          "update Tacho, or set another folder with --store DIR or TACHO_STORE",
      );
    }
    return version;
  }

  /** Reads what identifies the file in one transaction, since another process may be creating it. */
  #identity(): { version: number; application: number; isEmpty: boolean } {
    this.#db.exec("BEGIN");
    try {
      const version = Number(this.#pragma("user_version"));
      const application = Number(this.#pragma("application_id"));
      const hasTables = this.#db.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined;
      return { version, application, isEmpty: version === 0 && application === 0 && !hasTables };
    } finally {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  /** Applies the migrations that are still missing; another process may have applied them meanwhile. */
  #migrate(): void {
    const version = Number(this.#pragma("user_version"));
    for (const sql of MIGRATIONS.slice(version)) this.#db.exec(sql);
    this.#db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${STORE_VERSION}`);
  }
}

/** @throws {StoreError} if the folder is on a network file system, where SQLite may damage its file */
export function checkLocal(folder: string, file: string, find = networkFileSystem): void {
  const type = find(folder);
  if (type === null) return;
  throw new StoreError(
    `The store ${file} cannot be on a network file system (${type}), where SQLite's locks are not reliable; ${ELSEWHERE}. ` +
      "Shard files may be there",
  );
}

/** Retries `work` while another process locks the file, for operations where SQLite ignores its timeout. */
function retryWhileLocked(work: () => unknown): void {
  const end = performance.now() + TIMEOUT_MS;
  while (true) {
    try {
      work();
      return;
    } catch (error) {
      if (!isLocked(error) || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** @throws {StoreError} if SQLite would open a pipe or a device, which may never end */
function checkFiles(file: string): void {
  for (const beside of BESIDE) exists(`${file}${beside}`);
}

/** @throws {StoreError} if it is no regular file */
function exists(file: string): boolean {
  try {
    if (Deno.statSync(file).isFile) return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
  throw new StoreError(`The store ${file} is not a file; ${ELSEWHERE}`);
}

function sizeOf(file: string): number {
  return exists(file) ? Deno.statSync(file).size : 0;
}

function inodeOf(file: string): number | null {
  return exists(file) ? Deno.statSync(file).ino : -1;
}
