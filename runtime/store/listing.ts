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
    const db = this.#db;
    const dead = deadRuns(db, this.#folder);
    const rounds = new Map(
      db.all("SELECT run, count(*) AS count FROM rounds GROUP BY run").map(({ run, count }) => [run, Number(count)]),
    );
    const verdicts = verdictsOf(db);
    return readRows(db).map(({ id, read }) => {
      const counts = { rounds: rounds.get(id) ?? 0, verdicts: verdicts.get(id) ?? {} };
      try {
        return { id, run: guarded(db.file, () => toSummary(read(), dead)), problem: null, ...counts };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return { id, run: null, problem: `its row in ${db.file} is damaged`, ...counts };
      }
    });
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
    return db.all(`SELECT id FROM runs ${order}`).map(({ id }) => ({
      id: String(id),
      read: () => db.get(`SELECT ${SUMMARY} FROM runs WHERE id = ?`, String(id))!,
    }));
  }
}

/** Returns the number of variants with each verdict, by run. */
function verdictsOf(db: Database): Map<string, Record<string, number>> {
  const sql = "SELECT run, CASE WHEN json_valid(readings) THEN readings ->> '$.verdict[0]' END AS verdict, " +
    "count(*) AS count FROM variants GROUP BY run, verdict";
  const found = new Map<string, Record<string, number>>();
  for (const { run, verdict, count } of db.all(sql)) {
    if (verdict === null) continue;
    const key = String(run);
    found.set(key, { ...found.get(key), [String(verdict)]: Number(count) });
  }
  return found;
}
