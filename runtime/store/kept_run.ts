import type { Environment, Result, Rung } from "../result/schema.ts";
import type { Database } from "./database.ts";
import type { RunRecorder } from "./run_recorder.ts";
import type { ModuleSource } from "./module_source.ts";
import { pack } from "./packing.ts";
import { readingsOf } from "./readings.ts";
import { headlineOf, statusOf } from "./records.ts";
import { StoreRecorder } from "./store_recorder.ts";
import type { RunLock } from "./run_lock.ts";
import { keepModules } from "./sources.ts";

/** What a climb expects of a setting. */
export interface Prediction {
  readonly name: string;
  /** Times the speed. */
  readonly gain: number;
  readonly reasoning: string;
}

/** A run that is going on and is kept. It ends with `finish`, `fail` or `abandon`. */
export class KeptRun {
  readonly id: string;
  readonly recorder: RunRecorder;
  readonly #db: Database;
  readonly #lock: RunLock;
  #problem: unknown = null;

  constructor(db: Database, id: string, resumed: number, lock: RunLock) {
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

  /** Why rounds are kept no longer; null while they are. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Keeps the script with what it imports, in place of what was kept of it before. */
  keepModules(modules: readonly ModuleSource[]): void {
    this.#db.transaction(() => keepModules(this.#db, this.id, modules));
  }

  /** Keeps what a climb expects of a rung, before it is run; it is on the disk when this returns. */
  keepPrediction(position: number, prediction: Prediction): void {
    const sql = "INSERT OR REPLACE INTO rungs (run, position, prediction, predicted) VALUES (?, ?, ?, ?)";
    this.#db.run(sql, this.id, position, JSON.stringify(prediction), Date.now());
  }

  /** Keeps what came of a rung whose prediction was kept. */
  keepRung(position: number, rung: Rung): void {
    this.#db.run(
      "UPDATE rungs SET outcome = ? WHERE run = ? AND position = ?",
      JSON.stringify(rung),
      this.id,
      position,
    );
  }

  /**
   * Keeps the result; it is on the disk when this returns. A run that was interrupted keeps its rounds too, so that it
   * can be taken up again.
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
    this.#lock.release();
  }

  /** Keeps why the run ended without a result. */
  fail(message: string): void {
    this.#db.transaction(() => this.#end("failed", message, 0));
    this.#lock.release();
  }

  /** Lets go of the run, which then counts as interrupted. */
  abandon(): void {
    this.#lock.release();
  }

  #end(status: string, message: string | null, failed: number): void {
    const sql = "UPDATE runs SET status = ?, ended = ?, message = ?, failed = ? WHERE id = ?";
    const changed = this.#db.run(sql, status, Date.now(), message, failed, this.id);
    if (changed !== 1) throw new Error(`The run ${this.id} is not in the store any more`);
  }

  #keepEnvironment(environment: Environment): void {
    const { adapter, git, deno, tacho, lockHash } = environment;
    const sql =
      "UPDATE runs SET adapter = ?, driver = ?, git = ?, deno = ?, tacho = ?, lock_hash = ?, environment = ? " +
      "WHERE id = ?";
    const { name = null, driver = null } = adapter ?? {};
    this.#db.run(sql, name, driver, git, deno, tacho, lockHash, JSON.stringify(environment), this.id);
  }

  /** The result has all of it. */
  #forgetRounds(): void {
    for (const table of ["rounds", "notes", "losses"]) this.#db.run(`DELETE FROM ${table} WHERE run = ?`, this.id);
  }
}
