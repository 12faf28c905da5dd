/**
 * Baseline runs that gates compare with, one per scenario and adapter. An empty name means no adapter.
 *
 * @module
 */
import type { Database } from "./database.ts";

export interface Baseline {
  readonly scenario: string;
  /** Name of the adapter; null if the scenario uses no device. */
  readonly adapter: string | null;
  /** ID of the run. */
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

/** Sets or replaces a baseline; null removes it. */
export function writeBaseline(db: Database, scenario: string, adapter: string | null, run: string | null): void {
  db.transaction(() => {
    db.run("DELETE FROM baselines WHERE scenario = ? AND adapter = ?", scenario, adapter ?? "");
    if (run !== null) db.run("INSERT INTO baselines VALUES (?, ?, ?)", scenario, adapter ?? "", run);
  });
}
