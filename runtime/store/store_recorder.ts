import type { z } from "zod";
import type { AdapterRecord, Loss } from "../result/schema.ts";
import type { Database } from "./database.ts";
import {
  type KeptFailure,
  keptFailureSchema,
  keptLossesSchema,
  type KeptRound,
  keptRoundSchema,
  type KeptTraining,
  keptTrainingSchema,
  type KeptWarmUp,
  keptWarmUpSchema,
  type RunRecorder,
} from "./run_recorder.ts";
import { pack, unpack } from "./packing.ts";
import { guarded } from "./problems.ts";
import { known } from "./run_rows.ts";

type Losses = readonly (Loss | null)[];

/** Performs a write and ignores its failure: a run does not end because it cannot be kept. */
export type Attempt = (write: () => void) => void;

/**
 * Stores the measurements of a run in the database. Warm-ups and losses wait for the next round or failure, so that all of
 * it takes one write to the disk. Nothing is lost by this, since a run resumes after a complete round only.
 */
export class StoreRecorder implements RunRecorder {
  readonly rounds: readonly KeptRound[];
  readonly warmUps: readonly KeptWarmUp[];
  readonly failures: readonly KeptFailure[];
  readonly trainings: readonly KeptTraining[];
  readonly resumed: number;
  readonly adapter: string | null;
  readonly #db: Database;
  readonly #id: string;
  readonly #attempt: Attempt;
  readonly #losses: ReadonlyMap<string, Losses>;
  #waiting: (() => void)[] = [];

  /** Loads what earlier sittings of the run have kept. */
  constructor(db: Database, id: string, resumed: number, attempt: Attempt) {
    this.#db = db;
    this.#id = id;
    this.#attempt = attempt;
    this.resumed = resumed;
    [this.adapter, this.rounds, this.warmUps, this.failures, this.trainings, this.#losses] = guarded(db.file, () => [
      adapterOf(db, id),
      unbroken(this.#read(keptRoundSchema, "SELECT content FROM rounds WHERE run = ? ORDER BY round")),
      this.#read(keptWarmUpSchema, "SELECT content FROM notes WHERE run = ? AND kind = 'warm-up'"),
      this.#read(keptFailureSchema, "SELECT content FROM notes WHERE run = ? AND kind = 'failure'"),
      this.#read(keptTrainingSchema, "SELECT content FROM trainings WHERE run = ?"),
      lossesByArm(db, id),
    ]);
  }

  losses(arm: string): Losses {
    return this.#losses.get(arm) ?? [];
  }

  keepAdapter(adapter: AdapterRecord): void {
    const sql = "UPDATE runs SET adapter = ?, driver = ?, environment = json_set(environment, '$.adapter', json(?)) " +
      "WHERE id = ?";
    this.#attempt(() => this.#db.run(sql, adapter.name, adapter.driver, JSON.stringify(adapter), this.#id));
  }

  keepRound(round: KeptRound): void {
    this.#flush(() => {
      this.#db.run("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?)", this.#id, round.round, pack(round));
    });
  }

  keepWarmUp(warmUp: KeptWarmUp): void {
    this.#waiting.push(() => this.#note("warm-up", warmUp.arm, warmUp));
  }

  keepFailure(failure: KeptFailure): void {
    this.#flush(() => this.#note("failure", failure.arm, failure));
  }

  keepTraining(training: KeptTraining): void {
    const content = pack(training);
    this.#flush(() => {
      const { arm, seed } = training;
      this.#db.run("INSERT OR REPLACE INTO trainings VALUES (?, ?, ?, ?)", this.#id, arm, seed, content);
    });
  }

  keepLosses(arm: string, first: number, losses: Losses): void {
    const content = pack(losses);
    const row = [this.#id, arm, first] as const;
    this.#waiting.push(() => this.#db.run("INSERT OR REPLACE INTO losses VALUES (?, ?, ?, ?)", ...row, content));
  }

  #flush(last: () => void): void {
    const writes = [...this.#waiting, last];
    this.#waiting = [];
    this.#attempt(() => this.#db.transaction(() => writes.forEach((write) => write())));
  }

  #note(kind: "warm-up" | "failure", arm: string, note: KeptWarmUp | KeptFailure): void {
    this.#db.run("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)", this.#id, kind, arm, pack(note));
  }

  /** Reads what an earlier sitting kept, perhaps of another version. */
  #read<T>(schema: z.ZodType<T>, sql: string): T[] {
    return this.#db.all(sql, this.#id).map(({ content }) => known(schema, unpack(content), this.#id));
  }
}

function adapterOf(db: Database, id: string): string | null {
  const adapter = db.get("SELECT adapter FROM runs WHERE id = ?", id)?.["adapter"];
  return typeof adapter === "string" ? adapter : null;
}

/** Returns the rounds before the first missing one. */
function unbroken(rounds: readonly KeptRound[]): KeptRound[] {
  const end = rounds.findIndex(({ round }, i) => round !== i);
  return end === -1 ? [...rounds] : rounds.slice(0, end);
}

function lossesByArm(db: Database, id: string): Map<string, Losses> {
  const byArm = new Map<string, (Loss | null)[]>();
  for (const row of db.all("SELECT arm, first, content FROM losses WHERE run = ? ORDER BY rowid", id)) {
    const { arm, first, content } = row as { arm: string; first: number; content: unknown };
    const losses = byArm.get(arm) ?? [];
    byArm.set(arm, losses);
    known(keptLossesSchema, unpack(content), id).forEach((loss, i) => losses[first + i] = loss);
  }
  // A hole would look like an unknown loss
  for (const losses of byArm.values()) {
    const hole = Array.from(losses).indexOf(undefined as never);
    if (hole !== -1) losses.length = hole;
  }
  return byArm;
}
