import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { guarded, isLocked, StoreError } from "./problems.ts";
import { APPLICATION_ID, MIGRATIONS, STORE_VERSION } from "./tables.ts";

/** How long to wait for another process that writes: milliseconds. */
const PATIENCE_MS = 30_000;

/** How long to pause before something is tried again: milliseconds. */
const PAUSE_MS = 5;

/** The name of the store in its folder. */
const FILE = "runs.sqlite";

/** What is said of a store that may still be read. */
const UNWRITABLE = /cannot be (written|opened|read or written)|has no space left/;

export type Row = Record<string, unknown>;

/** The SQLite file of a store. All its errors are readable. */
export class Database {
  readonly file: string;
  readonly #db: DatabaseSync;
  /** Whether the latest changes cannot be seen, since they lie in a log that could not be opened. */
  readonly stale: boolean;
  readonly #statements = new Map<string, StatementSync>();
  /** Tells the file from another that has taken its place; null where the system has no such number. */
  readonly #inode: number | null;

  private constructor(file: string, db: DatabaseSync, stale = false) {
    this.file = file;
    this.stale = stale;
    this.#db = db;
    this.#inode = inodeOf(file);
  }

  /**
   * Opens the store in `folder`, and makes or updates it first where that is needed.
   *
   * @throws {StoreError} It cannot be opened or written, is damaged, or belongs to a newer version.
   */
  static open(folder: string): Database {
    const file = join(folder, FILE);
    return guarded(file, () => {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const db = new DatabaseSync(file, { timeout: PATIENCE_MS, enableForeignKeyConstraints: true });
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
   * Opens the store in `folder` to look things up; null where there is none. Where nothing can be written, as on a full
   * disk, it is read as it lies there.
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
        url.search = "immutable=1"; // no lock and no shared memory, which would have to be written
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

  /** Does `work` whole or not at all; what it wrote is on the disk when this returns. */
  transaction<T>(work: () => T): T {
    return guarded(this.file, () => {
      this.#db.exec("BEGIN IMMEDIATE");
      try {
        const value = work();
        this.#db.exec("COMMIT");
        return value;
      } catch (error) {
        // SQLite has gone back by itself where the disk is full
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /** Throws where the file was moved or removed since it was opened: what is written to it then is lost. */
  checkPlace(): void {
    if (inodeOf(this.file) === this.#inode) return;
    throw new StoreError(`The store ${this.file} was moved, removed or replaced while it was in use`);
  }

  /** Gives the space of removed rows back to the file system. */
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
    // Lets `shrink` work where there is no space for a second copy; it takes effect only before the first table
    if (version === 0) this.#db.exec("PRAGMA auto_vacuum = INCREMENTAL");
    // A commit is on the disk when it returns, and readers do not wait for a writer
    patiently(() => this.#pragma("journal_mode") === "wal" || this.#pragma("journal_mode = WAL"));
    this.#db.exec("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON");
    if (version < STORE_VERSION) this.transaction(() => this.#migrate());
  }

  #checkVersion(): number {
    const { version, application, isEmpty } = this.#identity();
    if (isEmpty) return 0;
    if (application !== APPLICATION_ID) {
      throw new StoreError(`${this.file} is not a store of Tacho; name another folder with --store DIR or TACHO_STORE`);
    }
    if (version > STORE_VERSION) {
      throw new StoreError(
        `The store ${this.file} was made by a newer Tacho (its version is ${version}, this one knows ${STORE_VERSION}); ` +
          "update Tacho, or name another folder with --store DIR or TACHO_STORE",
      );
    }
    return version;
  }

  /** What tells whose file it is, from one state of the file: another process may be making it. */
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

  /** Another process may have done it while this one waited. */
  #migrate(): void {
    const version = Number(this.#pragma("user_version"));
    for (const sql of MIGRATIONS.slice(version)) this.#db.exec(sql);
    this.#db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${STORE_VERSION}`);
  }
}

/** Does `work` again while another process holds the file: for what SQLite gives up at once in spite of its timeout. */
function patiently(work: () => unknown): void {
  const end = performance.now() + PATIENCE_MS;
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

function exists(file: string): boolean {
  try {
    return Deno.statSync(file).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

function sizeOf(file: string): number {
  return exists(file) ? Deno.statSync(file).size : 0;
}

function inodeOf(file: string): number | null {
  return exists(file) ? Deno.statSync(file).ino : -1;
}
