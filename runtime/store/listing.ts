/**
 * Lists of runs that survive damage: a row that cannot be read is listed with its problem, and hides no other. The cost
 * follows the number of runs that are listed, not that of the store.
 *
 * @module
 */
import { type AttachedRun, attachedRuns } from "./attached_run.ts";
import type { Database } from "./database.ts";
import { historyOf } from "./history.ts";
import { guarded } from "./problems.ts";
import type { HistoryPoint, ListedRun, Subject } from "./records.ts";
import { type Chosen, deadRuns, ORDER, readSummaries } from "./run_rows.ts";

/** Number of the latest runs whose scenarios and variants are listed. */
const LATEST = 1000;

/** Lists of a store. Errors of the whole store are `StoreError`s. */
export class Listing {
  readonly #db: Database;
  readonly #folder: string;

  constructor(db: Database, folder: string) {
    this.#db = db;
    this.#folder = folder;
  }

  /** Returns the number of all runs. */
  count(): number {
    return Number(this.#db.get("SELECT count(*) AS count FROM runs")?.["count"]);
  }

  /** Lists the latest runs, the latest first. */
  runs(limit: number): ListedRun[] {
    return this.#listed({ sql: `SELECT id FROM runs ${ORDER} LIMIT ?`, values: [limit] });
  }

  /** Returns a run by its ID, or null if there is none. */
  run(id: string): ListedRun | null {
    return this.#listed({ sql: "SELECT id FROM runs WHERE id = ?", values: [id] })[0] ?? null;
  }

  /** Lists the attached programs, the latest first, and the IDs of those that are left out because they are damaged. */
  programs(): { readonly programs: readonly AttachedRun[]; readonly damaged: readonly string[] } {
    const damaged: string[] = [];
    return { programs: attachedRuns(this.#db, {}, (id) => damaged.push(id)), damaged };
  }

  /** Returns a text that differs once {@linkcode runs} may differ from an earlier list. */
  version(): string {
    const version = Object.values(this.#db.get("PRAGMA data_version") ?? {})[0];
    return [version, ...deadRuns(this.#db, this.#folder)].join(" ");
  }

  /** Lists the scenarios of the latest results with the variants of each, that of the latest result first. */
  subjects(): Subject[] {
    const sql = "SELECT scenario, name, max(started) AS latest FROM runs JOIN variants ON run = id " +
      `WHERE id IN (SELECT id FROM runs ${ORDER} LIMIT ${LATEST}) GROUP BY scenario, name ORDER BY latest DESC, min(position)`;
    const found = new Map<string, string[]>();
    for (const { scenario, name } of this.#db.all(sql)) {
      const key = String(scenario);
      found.set(key, [...found.get(key) ?? [], String(name)]);
    }
    return [...found].map(([scenario, variants]) => ({ scenario, variants }));
  }

  /** Lists the adapters of the runs of a scenario. */
  adapters(scenario: string): string[] {
    const sql = "SELECT DISTINCT adapter FROM runs WHERE scenario = ? AND adapter IS NOT NULL ORDER BY adapter";
    return this.#db.all(sql, scenario).map(({ adapter }) => String(adapter));
  }

  /**
   * Returns a metric in the latest runs of a scenario that have the variant, the earliest first, and the runs that are left
   * out because they are damaged.
   *
   * @param adapter name of the adapter; null for all
   */
  history(
    metric: string,
    { scenario, variant, adapter, limit }: {
      readonly scenario: string;
      readonly variant: string;
      readonly adapter: string | null;
      readonly limit: number;
    },
  ): { readonly points: readonly HistoryPoint[]; readonly damaged: readonly string[] } {
    const sql = "SELECT id FROM runs WHERE scenario = ? AND (? IS NULL OR adapter = ?) AND " +
      `EXISTS (SELECT 1 FROM variants WHERE run = id AND name = ?) ${ORDER} LIMIT ?`;
    const rows = readSummaries(this.#db, this.#folder, { sql, values: [scenario, adapter, adapter, variant, limit] });
    const damaged = rows.flatMap(({ id, run }) => run === null ? [id] : []);
    const runs = rows.flatMap(({ run }) => run ?? []);
    const points = guarded(this.#db.file, () => {
      return historyOf(this.#db, runs, metric, variant, ({ id }) => damaged.push(id));
    });
    return { points, damaged };
  }

  #listed(chosen: Chosen): ListedRun[] {
    const db = this.#db;
    const [results, rounds, verdicts] = [resultsOf(db, chosen), roundsOf(db, chosen), verdictsOf(db, chosen)];
    return readSummaries(this.#db, this.#folder, chosen).map(({ id, run }) => ({
      ...{ id, run, problem: run === null ? "its row in the store is damaged" : null },
      ...{ hasResult: results.has(id), rounds: rounds.get(id) ?? 0, verdicts: verdicts.get(id) ?? {} },
    }));
  }
}

/** Returns the runs that have a result, whether or not it can be read. */
function resultsOf(db: Database, { sql, values }: Chosen): Set<string> {
  return new Set(db.all(`SELECT run FROM results WHERE run IN (${sql})`, ...values).map(({ run }) => String(run)));
}

/** Returns the number of kept rounds, by run. */
function roundsOf(db: Database, { sql, values }: Chosen): Map<string, number> {
  const counts = db.all(`SELECT run, count(*) AS count FROM rounds WHERE run IN (${sql}) GROUP BY run`, ...values);
  return new Map(counts.map(({ run, count }) => [String(run), Number(count)]));
}

/** Returns the number of variants with each verdict, by run. */
function verdictsOf(db: Database, { sql, values }: Chosen): Map<string, Record<string, number>> {
  const counts = "SELECT run, CASE WHEN json_valid(readings) THEN readings ->> '$.verdict[0]' END AS verdict, " +
    `count(*) AS count FROM variants WHERE run IN (${sql}) GROUP BY run, verdict`;
  const found = new Map<string, Record<string, number>>();
  for (const { run, verdict, count } of db.all(counts, ...values)) {
    if (verdict === null) continue;
    const key = String(run);
    found.set(key, { ...found.get(key), [String(verdict)]: Number(count) });
  }
  return found;
}
