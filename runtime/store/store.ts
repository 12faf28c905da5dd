import type { Result } from "../result/schema.ts";
import { type Baseline, readBaselines, writeBaseline } from "./baselines.ts";
import { Database } from "./database.ts";
import { historyOf } from "./history.ts";
import { KeptRun } from "./kept_run.ts";
import { pack } from "./packing.ts";
import { moduleDifferences, type ModuleSource } from "./module_source.ts";
import { type RunSpec, specDifferences, specHash } from "./run_spec.ts";
import { guarded, StoreError } from "./problems.ts";
import { type Prune, pruneRuns } from "./prune.ts";
import type { HistoryPoint, RunFilter, RunRecord, RunStart, RunSummary } from "./records.ts";
import { createRunId, nextRunTime } from "./run_id.ts";
import { clearLocks, RunLock } from "./run_lock.ts";
import { resolveRunName } from "./run_name.ts";
import { findRuns, readResult, readRun } from "./run_rows.ts";
import { keepModules } from "./sources.ts";

/** Two processes may draw the same id in the same millisecond. */
const ID_ATTEMPTS = 8;

/**
 * Opens the store in `folder`, and makes one where there is none.
 *
 * @throws {StoreError} It cannot be opened or written, is damaged, or belongs to a newer version.
 */
export function openStore(folder: string): Store {
  return new Store(folder, Database.open(folder));
}

/** Opens the store in `folder` for looking things up; null where there is none. */
export function openStoreToRead(folder: string): Store | null {
  const db = Database.openToRead(folder);
  return db === null ? null : new Store(folder, db);
}

/** The results of many runs. Any number of processes may use one at the same time, and be killed at any moment. */
export class Store implements Disposable {
  readonly folder: string;
  readonly #db: Database;

  constructor(folder: string, db: Database) {
    this.folder = folder;
    this.#db = db;
  }

  /** The file that holds the runs. */
  get file(): string {
    return this.#db.file;
  }

  /** Whether the latest changes cannot be seen: the store lies where nothing can be written. */
  get stale(): boolean {
    return this.#db.stale;
  }

  /** Keeps a run from its beginning on. */
  begin(start: RunStart): KeptRun {
    for (let attempt = 1;; attempt++) {
      const started = nextRunTime();
      const id = createRunId(started);
      const lock = guarded(this.file, () => RunLock.take(this.folder, id));
      if (lock !== null) {
        if (this.#insert(id, started, start)) return new KeptRun(this.#db, id, 0, lock);
        lock.release();
      }
      if (attempt === ID_ATTEMPTS) throw new StoreError(`The store ${this.file} gives no new id; try again`);
    }
  }

  /**
   * Takes up a run that was interrupted or failed.
   *
   * @param modules what the script consists of now; those of the run are not looked at when left out
   * @throws {StoreError} if it is whole or still going on, or if `spec` or `modules` are not those that it began with
   */
  resume(id: string, spec: RunSpec, modules?: readonly ModuleSource[]): KeptRun {
    const lock = guarded(this.file, () => RunLock.take(this.folder, id));
    if (lock === null) throw new StoreError(`Run ${id} is still going on in another process; wait for its end`);
    try {
      const run = this.run(id);
      if (run.status === "complete") {
        throw new StoreError(`Run ${id} is complete: there is nothing to take up; "tacho show ${id}" prints it`);
      }
      const imports = modules === undefined ? [] : moduleDifferences(run.modules, modules);
      const changes = [...specDifferences(run.spec, spec), ...imports];
      if (changes.length > 0) {
        throw new StoreError(
          `Run ${id} cannot be taken up, since it is not the same any more; start a new one, or undo this:\n` +
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

  /** The latest run of this spec that did not get to its end, if the latest of them is one. */
  unfinished(spec: RunSpec): RunSummary | null {
    return this.find({ scenario: spec.scenario, spec: specHash(spec) })
      .find(({ status }) => status === "interrupted" || status === "failed") ?? null;
  }

  /** The id that `name` stands for: an id, a beginning or an end of one, `last`, `last~1`. */
  resolve(name: string): string {
    const running = new Set(this.find({ status: "running" }).map(({ id }) => id));
    return resolveRunName(this.#db, name, running);
  }

  /** The runs that a filter lets through, the latest first. */
  find(filter: RunFilter = {}): RunSummary[] {
    return guarded(this.file, () => findRuns(this.#db, this.folder, filter));
  }

  /** Everything that is kept of a run but its result. */
  run(id: string): RunRecord {
    const run = guarded(this.file, () => readRun(this.#db, this.folder, id));
    if (run === null) throw new StoreError(`Unknown run "${id}"; "tacho runs" lists them`);
    return run;
  }

  /** What a run measured; null where it was killed or failed before it had a result. */
  result(id: string): Result | null {
    return guarded(this.file, () => readResult(this.#db, id));
  }

  /** Whole rounds that are kept of a run without a whole result. */
  roundCount(id: string): number {
    return Number(this.#db.get("SELECT count(*) AS count FROM rounds WHERE run = ?", id)?.count);
  }

  /** A metric over runs, the earliest first. */
  history(metric: string, variant: string, filter: RunFilter = {}): HistoryPoint[] {
    return guarded(this.file, () => historyOf(this.#db, this.find(filter), metric, variant));
  }

  /** Names of the variants of all results. */
  variantNames(): string[] {
    return this.#db.all("SELECT DISTINCT name FROM variants ORDER BY name").map(({ name }) => String(name));
  }

  /** The scenario of the latest result with such a variant; null for none. */
  latestScenario(variant: string): string | null {
    const sql =
      "SELECT scenario FROM runs JOIN variants ON run = id WHERE name = ? ORDER BY started DESC, id DESC LIMIT 1";
    const row = this.#db.get(sql, variant);
    return row === undefined ? null : String(row.scenario);
  }

  /** Removes runs, and what no other run needs. Runs that are going on and baselines stay. */
  prune(which: Prune): RunSummary[] {
    const removed = pruneRuns(this.#db, this.find(), which);
    if (which.dryRun || removed.length === 0) return removed;
    const running = new Set(this.find({ status: "running" }).map(({ id }) => id));
    clearLocks(this.folder, running);
    this.#db.shrink();
    return removed;
  }

  /** The run that gates of a scenario compare with on an adapter. */
  baseline(scenario: string, adapter: string | null): string | null {
    return this.baselines().find((one) => one.scenario === scenario && one.adapter === adapter)?.run ?? null;
  }

  /** Sets it; null takes it away. */
  setBaseline(scenario: string, adapter: string | null, id: string | null): void {
    writeBaseline(this.#db, scenario, adapter, id);
  }

  /** Every baseline, by scenario. */
  baselines(): Baseline[] {
    return readBaselines(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** False when the id is taken. */
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
      keepModules(this.#db, id, modules);
      return true;
    });
  }
}
