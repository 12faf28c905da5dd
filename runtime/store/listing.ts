/**
 * Lists of runs that survive damage: a row that cannot be read is listed with its problem, and hides no other.
 *
 * @module
 */
import type { Database, Row } from "./database.ts";
import { guarded, StoreError } from "./problems.ts";
import { historyOf } from "./history.ts";
import type { HistoryPoint, ListedRun, RunSummary, Subject } from "./records.ts";
import { deadRuns, SUMMARY, toSummary } from "./run_rows.ts";

/** Lists of a store. Errors of the whole store are `StoreError`s. */
export class Listing {
  readonly #db: Database;
  readonly #folder: string;

  constructor(db: Database, folder: string) {
    this.#db = db;
    this.#folder = folder;
  }

  /** Lists all runs, the latest first. */
  runs(): ListedRun[] {
    const dead = deadRuns(this.#db, this.#folder);
    return this.#listed(readRows(this.#db), dead);
  }

  /** Returns a run by its ID, or null if there is none. */
  run(id: string): ListedRun | null {
    if (this.#db.get("SELECT 1 FROM runs WHERE id = ?", id) === undefined) return null;
    return this.#listed([unread(this.#db, id)], deadRuns(this.#db, this.#folder), id)[0] ?? null;
  }

  /** Returns a text that differs once {@linkcode runs} may differ from an earlier list. */
  version(): string {
    const version = Object.values(this.#db.get("PRAGMA data_version") ?? {})[0];
    return [version, ...deadRuns(this.#db, this.#folder)].join(" ");
  }

  /** Lists the scenarios of results with the variants of each, that of the latest result first. */
  subjects(): Subject[] {
    const sql = "SELECT scenario, name, max(started) AS latest FROM runs JOIN variants ON run = id " +
      "GROUP BY scenario, name ORDER BY latest DESC, min(position)";
    const found = new Map<string, string[]>();
    for (const { scenario, name } of this.#db.all(sql)) {
      const key = String(scenario);
      found.set(key, [...found.get(key) ?? [], String(name)]);
    }
    return [...found].map(([scenario, variants]) => ({ scenario, variants }));
  }

  #listed(rows: readonly UnreadRow[], dead: ReadonlySet<string>, only: string | null = null): ListedRun[] {
    const db = this.#db;
    const rounds = roundsOf(db, only);
    const verdicts = verdictsOf(db, only);
    return rows.map(({ id, read }) => {
      const counts = { rounds: rounds.get(id) ?? 0, verdicts: verdicts.get(id) ?? {} };
      try {
        return { id, run: guarded(db.file, () => toSummary(read(), dead)), problem: null, ...counts };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return { id, run: null, problem: `its row in ${db.file} is damaged`, ...counts };
      }
    });
  }

  /** Returns a metric in those of `runs` that have the variant, in reverse order, and the runs whose metrics are damaged. */
  history(
    metric: string,
    variant: string,
    runs: readonly RunSummary[],
  ): { readonly points: readonly HistoryPoint[]; readonly damaged: readonly string[] } {
    const damaged: string[] = [];
    const points = guarded(this.#db.file, () => {
      return historyOf(this.#db, runs, metric, variant, ({ id }) => damaged.push(id));
    });
    return { points, damaged };
  }
}

interface UnreadRow {
  readonly id: string;
  readonly read: () => Row;
}

/** Returns all rows of runs. SQLite gives up on a number that JavaScript does not have, so rows are then read one by one. */
function readRows(db: Database): UnreadRow[] {
  const order = "ORDER BY started DESC, id DESC";
  try {
    return db.all(`SELECT ${SUMMARY} FROM runs ${order}`).map((row) => ({ id: String(row["id"]), read: () => row }));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return db.all(`SELECT id FROM runs ${order}`).map(({ id }) => unread(db, String(id)));
  }
}

function unread(db: Database, id: string): UnreadRow {
  return { id, read: () => db.get(`SELECT ${SUMMARY} FROM runs WHERE id = ?`, id)! };
}

/** Returns the number of kept rounds, by run. `only` limits it to one run. */
function roundsOf(db: Database, only: string | null): Map<string, number> {
  const sql = "SELECT run, count(*) AS count FROM rounds WHERE ? IS NULL OR run = ? GROUP BY run";
  return new Map(db.all(sql, only, only).map(({ run, count }) => [String(run), Number(count)]));
}

/** Returns the number of variants with each verdict, by run. `only` limits it to one run. */
function verdictsOf(db: Database, only: string | null): Map<string, Record<string, number>> {
  const sql = "SELECT run, CASE WHEN json_valid(readings) THEN readings ->> '$.verdict[0]' END AS verdict, " +
    "count(*) AS count FROM variants WHERE ? IS NULL OR run = ? GROUP BY run, verdict";
  const found = new Map<string, Record<string, number>>();
  for (const { run, verdict, count } of db.all(sql, only, only)) {
    if (verdict === null) continue;
    const key = String(run);
    found.set(key, { ...found.get(key), [String(verdict)]: Number(count) });
  }
  return found;
}
