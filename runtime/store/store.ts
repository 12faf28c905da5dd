import { isDeepStrictEqual } from "node:util";
import type { Result } from "../result/schema.ts";
import { type AttachedFilter, type AttachedRun, attachedRun, attachedRuns, keepAttached } from "./attached_run.ts";
import { type Baseline, readBaselines, writeBaseline } from "./baselines.ts";
import { type Prune, pruneRuns } from "./prune.ts";
import { Database } from "./database.ts";
import { historyOf } from "./history.ts";
import { KeptRun } from "./kept_run.ts";
import { pack } from "./packing.ts";
import { moduleDifferences, type ModuleSource } from "./module_source.ts";
import { type RunSpec, specDifferences, specHash } from "./run_spec.ts";
import { Listing } from "./listing.ts";
import { guarded, StoreError } from "./problems.ts";
import type { HistoryPoint, RunFilter, RunRecord, RunStart, RunSummary } from "./records.ts";
import { createRunId, nextRunTime, resolveRunName } from "./run_name.ts";
import { clearLocks, RunLock } from "./run_lock.ts";
import { findRuns, readResult, readRun, writeModules } from "./run_rows.ts";

/** Attempts to find an unused ID, since two processes may draw the same one in the same millisecond. */
const ID_ATTEMPTS = 8;

/**
 * Opens the store in `folder`, creating it if necessary.
 *
 * @throws {StoreError} if it cannot be opened or written, is damaged, or belongs to a newer version
 */
export function openStore(folder: string): Store {
  return new Store(folder, Database.open(folder));
}

/** Opens the store in `folder` for reading, or returns null if it does not exist. */
export function openStoreToRead(folder: string): Store | null {
  const db = Database.openToRead(folder);
  return db === null ? null : new Store(folder, db);
}

/** Store of many runs. Several processes may use it at the same time, and may be killed at any moment. */
export class Store implements Disposable {
  readonly folder: string;
  /** Lists in which a damaged run hides no other. */
  readonly listing: Listing;
  readonly #db: Database;

  constructor(folder: string, db: Database) {
    this.folder = folder;
    this.listing = new Listing(db, folder);
    this.#db = db;
  }

  /** The file that holds the runs. */
  get file(): string {
    return this.#db.file;
  }

  /** True if the latest changes are invisible, since the store is in a read-only folder. */
  get stale(): boolean {
    return this.#db.stale;
  }

  /** @throws {StoreError} if the file was moved or removed since it was opened */
  checkPlace(): void {
    this.#db.checkPlace();
  }

  /** Begins to keep a run. */
  begin(start: RunStart): KeptRun {
    for (let attempt = 1;; attempt++) {
      const started = start.started ?? nextRunTime();
      const id = createRunId(started);
      const lock = guarded(this.file, () => RunLock.take(this.folder, id));
      if (lock !== null) {
        if (this.#insert(id, started, start)) return new KeptRun(this.#db, id, 0, lock);
        lock.release();
      }
      if (attempt === ID_ATTEMPTS) throw new StoreError(`The store ${this.file} has no unused ID; try again`);
    }
  }

  /**
   * Keeps a run that is merged from shards under an ID that its content decides. Merging the same shards again, even in
   * another process at the same time, keeps it once. One transaction keeps all of it, so that a killed merge leaves nothing.
   *
   * @param key identifies the content
   * @returns the ID
   * @throws {StoreError} if it cannot be kept
   */
  keepMerged(start: RunStart & { readonly started: number }, key: string, result: Result): string {
    return this.#db.transaction(() => {
      for (let attempt = 1; attempt <= ID_ATTEMPTS; attempt++) {
        const id = createRunId(start.started, `${key} ${attempt}`);
        if (this.#insert(id, start.started, start)) {
          new KeptRun(this.#db, id, 0, null).finish(result);
          return id;
        }
        const kept = readResult(this.#db, id);
        if (kept !== null && isSameMerge(kept, result)) return id;
      }
      throw new StoreError(`The store ${this.file} has no unused ID; try again`);
    });
  }

  /**
   * Resumes a run that was interrupted or failed.
   *
   * @param modules current modules of the script; omitted, modules are not compared
   * @throws {StoreError} if the run is complete or still running, or if `spec` or `modules` have changed
   */
  resume(id: string, spec: RunSpec, modules?: readonly ModuleSource[]): KeptRun {
    const lock = guarded(this.file, () => RunLock.take(this.folder, id));
    if (lock === null) throw new StoreError(`Run ${id} is still running in another process; wait until it ends`);
    try {
      const run = this.run(id);
      if (run.status === "complete") {
        throw new StoreError(`Run ${id} is complete and cannot be resumed; "tacho show ${id}" prints it`);
      }
      const imports = modules === undefined ? [] : moduleDifferences(run.modules, modules);
      const changes = [...specDifferences(run.spec, spec), ...imports];
      if (changes.length > 0) {
        throw new StoreError(
          `Run ${id} cannot be resumed, since it has changed; start a new run, or undo these changes:\n` +
            changes.map((line) => `  ${line}`).join("\n"),
        );
      }
      this.#db.transaction(() => {
        this.#db.run(
          "UPDATE runs SET status = 'running', resumed = resumed + 1, ended = NULL, message = NULL WHERE id = ?",
          id,
        );
      });
      return new KeptRun(this.#db, id, run.resumed + 1, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Returns the latest interrupted or failed run with this spec, or null. */
  unfinished(spec: RunSpec): RunSummary | null {
    return this.find({ scenario: spec.scenario, spec: specHash(spec) })
      .find(({ status }) => status === "interrupted" || status === "failed") ?? null;
  }

  /**
   * Resolves the name of a run to its ID: an ID, a unique beginning or end of one, `last`, or `last~1`.
   *
   * @throws {StoreError} if no run matches, or several do
   */
  resolve(name: string): string {
    const running = new Set(this.find({ status: "running" }).map(({ id }) => id));
    return resolveRunName(this.#db, name, running);
  }

  /**
   * Returns the runs that a filter selects, the latest first.
   *
   * @param onDamage takes the IDs of runs that are left out, since their rows cannot be read
   */
  find(filter: RunFilter = {}, onDamage: (id: string) => void = () => {}): RunSummary[] {
    return guarded(this.file, () => findRuns(this.#db, this.folder, filter, onDamage));
  }

  /**
   * Returns everything that is kept of a run except its result.
   *
   * @throws {StoreError} if there is no run with this ID
   */
  run(id: string): RunRecord {
    const run = guarded(this.file, () => readRun(this.#db, this.folder, id), id);
    if (run === null) throw new StoreError(`Unknown run "${id}"; "tacho runs" lists them`);
    return run;
  }

  /** Returns the result of a run, or null if it was killed or failed before it had one. */
  result(id: string): Result | null {
    return guarded(this.file, () => readResult(this.#db, id), id);
  }

  /** Returns the number of complete rounds that are kept of an unfinished run. */
  roundCount(id: string): number {
    return Number(this.#db.get("SELECT count(*) AS count FROM rounds WHERE run = ?", id)?.["count"]);
  }

  /** Returns a metric over runs, the earliest first; see {@linkcode find} for `onDamage`. */
  history(
    metric: string,
    variant: string,
    filter: RunFilter = {},
    onDamage: (id: string) => void = () => {},
  ): HistoryPoint[] {
    const runs = this.find(filter, onDamage);
    return guarded(this.file, () => historyOf(this.#db, runs, metric, variant, ({ id }) => onDamage(id)));
  }

  /** Returns the names of the variants in all results. */
  variantNames(): string[] {
    return this.#db.all("SELECT DISTINCT name FROM variants ORDER BY name").map(({ name }) => String(name));
  }

  /** Returns the scenario of the latest result with this variant, or null. */
  latestScenario(variant: string): string | null {
    const sql =
      "SELECT scenario FROM runs JOIN variants ON run = id WHERE name = ? ORDER BY started DESC, id DESC LIMIT 1";
    const row = this.#db.get(sql, variant);
    return row === undefined ? null : String(row["scenario"]);
  }

  /** Removes runs and the modules that only they use. Keeps baselines and running runs. */
  prune(which: Prune): RunSummary[] {
    const removed = pruneRuns(this.#db, this.find(), which);
    if (which.dryRun || removed.length === 0) return removed;
    const running = new Set(this.find({ status: "running" }).map(({ id }) => id));
    clearLocks(this.folder, running);
    this.#db.shrink();
    return removed;
  }

  /** Returns the ID of the baseline of a scenario on an adapter, or null. */
  baseline(scenario: string, adapter: string | null): string | null {
    return this.baselines().find((one) => one.scenario === scenario && one.adapter === adapter)?.run ?? null;
  }

  /** Sets the baseline of a scenario on an adapter; null removes it. */
  setBaseline(scenario: string, adapter: string | null, id: string | null): void {
    writeBaseline(this.#db, scenario, adapter, id);
  }

  /** Returns all baselines, sorted by scenario. */
  baselines(): Baseline[] {
    return readBaselines(this.#db);
  }

  /** Keeps the result of a program that Tacho was attached to, and returns its ID. */
  keepAttached(run: Omit<AttachedRun, "id">, result: unknown): string {
    return guarded(this.file, () => keepAttached(this.#db, run, result));
  }

  /** Returns the attached programs that a filter selects, the latest first; see {@linkcode find} for `onDamage`. */
  attachedRuns(filter: AttachedFilter = {}, onDamage: (id: string) => void = () => {}): AttachedRun[] {
    return guarded(this.file, () => attachedRuns(this.#db, filter, onDamage));
  }

  /** Returns true if a name is that of an attached program and of no run. */
  isAttached(name: string): boolean {
    return !isKnown(() => this.resolve(name)) && isKnown(() => this.attachedRun(name));
  }

  /**
   * Returns an attached program by `last`, its ID or a part of it, and its result.
   *
   * @throws {StoreError} if no run matches, or several do
   */
  attachedRun(name: string): { run: AttachedRun; result: unknown } {
    return guarded(this.file, () => attachedRun(this.#db, name));
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Inserts a run. Returns false if the ID is taken. */
  #insert(id: string, started: number, { spec, script, modules, args, cwd, environment }: RunStart): boolean {
    const { git, deno, tacho, lockHash } = environment;
    const hash = specHash(spec);
    const content = pack(spec);
    return this.#db.transaction(() => {
      if (this.#db.get("SELECT 1 FROM runs WHERE id = ?", id) !== undefined) return false;
      this.#db.run("INSERT OR IGNORE INTO plans VALUES (?, ?)", hash, content);
      this.#db.run(
        "INSERT INTO runs (id, started, status, scenario, script, args, cwd, seed, baseline, variants, plan, deno, " +
          "tacho, git, lock_hash, environment) VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ...[id, started, spec.scenario, script, JSON.stringify(args), cwd, spec.seed, spec.baseline],
        ...[spec.variants.length, hash, deno, tacho, git, lockHash, JSON.stringify(environment)],
      );
      writeModules(this.#db, id, modules);
      return true;
    });
  }
}

/** Compares what was measured; paths in warnings may differ. */
function isSameMerge(a: Result, b: Result): boolean {
  const measured = ({ variants, nodes }: Result) => JSON.parse(JSON.stringify([variants, nodes]));
  return isDeepStrictEqual(measured(a), measured(b));
}

/** Returns false if a name is unknown or ambiguous. */
function isKnown(find: () => unknown): boolean {
  try {
    find();
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
