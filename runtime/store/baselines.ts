/**
 * The runs that gates compare with, one for each scenario on each adapter. No adapter is written as an empty name.
 *
 * @module
 */
import type { Database } from "./database.ts";

export interface Baseline {
  readonly scenario: string;
  /** Null where no device is used. */
  readonly adapter: string | null;
  /** Id. */
  readonly run: string;
}

export function readBaselines(db: Database): Baseline[] {
  return db.all("SELECT scenario, adapter, run FROM baselines ORDER BY scenario, adapter")
    .map(({ scenario, adapter, run }) => ({
      scenario: String(scenario),
      adapter: adapter === "" ? null : String(adapter),
      run: String(run),
    }));
}

/** Sets one in place of another; null only takes it away. */
export function writeBaseline(db: Database, scenario: string, adapter: string | null, run: string | null): void {
  db.transaction(() => {
    db.run("DELETE FROM baselines WHERE scenario = ? AND adapter = ?", scenario, adapter ?? "");
    if (run !== null) db.run("INSERT INTO baselines VALUES (?, ?, ?)", scenario, adapter ?? "", run);
  });
}
