import type { Environment, Result, Rung } from "../result/schema.ts";
import type { Database } from "./database.ts";
import type { RunRecorder } from "./run_recorder.ts";
import type { ModuleSource } from "./module_source.ts";
import { readingsOf } from "./history.ts";
import { pack } from "./packing.ts";
import { headlineOf, statusOf } from "./records.ts";
import { StoreRecorder } from "./store_recorder.ts";
import type { RunLock } from "./run_lock.ts";
import { writeModules } from "./run_rows.ts";

/** Predicted effect of a setting that `--tune` is about to try. */
export interface Prediction {
  readonly name: string;
  /** Predicted speed-up as a ratio. */
  readonly gain: number;
  readonly reasoning: string;
}

/** A running run in the store. It ends with `finish`, `fail` or `abandon`. */
export class KeptRun {
  readonly id: string;
  readonly recorder: RunRecorder;
  readonly #db: Database;
  readonly #lock: RunLock | null;
  #problem: unknown = null;

  /** @param lock null for a run whose every write is in one transaction */
  constructor(db: Database, id: string, resumed: number, lock: RunLock | null) {
    this.#db = db;
    this.id = id;
    this.#lock = lock;
    this.recorder = new StoreRecorder(db, id, resumed, (write) => {
      if (this.#problem !== null) return;
      try {
        write();
      } catch (error) {
        this.#problem = error;
      }
    });
  }

  /** Error that stopped the keeping of rounds; null while they are kept. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Keeps the script and its imports, replacing earlier ones. */
  keepModules(modules: readonly ModuleSource[]): void {
    this.#db.transaction(() => writeModules(this.#db, this.id, modules));
  }

  /** Keeps the prediction for a rung before it runs. It is on disk when this returns. */
  keepPrediction(position: number, prediction: Prediction): void {
    const sql = "INSERT OR REPLACE INTO rungs (run, position, prediction, predicted) VALUES (?, ?, ?, ?)";
    this.#db.run(sql, this.id, position, JSON.stringify(prediction), Date.now());
  }

  /** Keeps the outcome of a rung whose prediction was kept. */
  keepRung(position: number, rung: Rung): void {
    this.#db.run(
      "UPDATE rungs SET outcome = ? WHERE run = ? AND position = ?",
      JSON.stringify(rung),
      this.id,
      position,
    );
  }

  /**
   * Keeps the result, which is on disk when this returns. An interrupted run also keeps its rounds, so that it can be
   * resumed.
   *
   * @throws {StoreError} if it cannot be kept
   */
  finish(result: Result): void {
    const status = statusOf(result);
    const content = pack(result);
    const failed = result.variants.filter((variant) => variant.status === "failed");
    const message = status === "failed" ? failed[0]?.error?.message ?? null : null;
    this.#db.transaction(() => {
      this.#db.run("INSERT OR REPLACE INTO results VALUES (?, ?)", this.id, content);
      this.#db.run("DELETE FROM variants WHERE run = ?", this.id);
      result.variants.forEach((variant, i) => {
        const readings = JSON.stringify(readingsOf(result, variant));
        this.#db.run("INSERT INTO variants VALUES (?, ?, ?, ?, ?)", this.id, i, variant.name, variant.status, readings);
      });
      this.#keepEnvironment(result.environment);
      const { ips, unit, best, bestSpeedup } = headlineOf(result);
      const sql = "UPDATE runs SET ips = ?, unit = ?, best = ?, best_speedup = ? WHERE id = ?";
      this.#db.run(sql, ips, unit, best, bestSpeedup, this.id);
      this.#end(status, message, failed.length);
      if (status === "complete") this.#forgetRounds();
    });
    this.#db.checkPlace();
    this.#lock?.release();
  }

  /** Keeps the reason why the run ended without a result. */
  fail(message: string): void {
    this.#db.transaction(() => this.#end("failed", message, 0));
    this.#lock?.release();
  }

  /** Releases the run, which then counts as interrupted. */
  abandon(): void {
    this.#lock?.release();
  }

  #end(status: string, message: string | null, failed: number): void {
    const sql = "UPDATE runs SET status = ?, ended = ?, message = ?, failed = ? WHERE id = ?";
    const changed = this.#db.run(sql, status, Date.now(), message, failed, this.id);
    if (changed !== 1) throw new Error(`Run ${this.id} is no longer in the store`);
  }

  #keepEnvironment(environment: Environment): void {
    const { adapter, git, deno, tacho, lockHash } = environment;
    const sql =
      "UPDATE runs SET adapter = ?, driver = ?, git = ?, deno = ?, tacho = ?, lock_hash = ?, environment = ? " +
      "WHERE id = ?";
    const { name = null, driver = null } = adapter ?? {};
    this.#db.run(sql, name, driver, git, deno, tacho, lockHash, JSON.stringify(environment), this.id);
  }

  /** Deletes the rounds and trainings, which the result contains. */
  #forgetRounds(): void {
    const tables = ["rounds", "notes", "losses", "trainings"];
    for (const table of tables) this.#db.run(`DELETE FROM ${table} WHERE run = ?`, this.id);
  }
}
