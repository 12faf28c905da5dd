import type { Database } from "./database.ts";
import type { RunSummary } from "./records.ts";

/** Selection of runs to remove: those beyond `keep` and those before `before`. */
export interface Prune {
  /** Number of latest runs of each scenario to keep. */
  readonly keep?: number | undefined;
  /** Removes runs that started before this time. */
  readonly before?: number | undefined;
  /** Removes only runs of this scenario. */
  readonly scenario?: string | undefined;
  /** Removes nothing, but returns what would be removed. */
  readonly dryRun: boolean;
}

/** Removes runs from `all`, which is sorted from latest to earliest, and returns them. */
export function pruneRuns(db: Database, all: readonly RunSummary[], which: Prune): RunSummary[] {
  const baselines = new Set(db.all("SELECT run FROM baselines").map(({ run }) => String(run)));
  const seen = new Map<string, number>();
  const doomed = all.filter(({ id, scenario, status, started }) => {
    if (which.scenario !== undefined && scenario !== which.scenario) return false;
    if (status === "running" || baselines.has(id)) return false;
    const newer = seen.get(scenario) ?? 0;
    seen.set(scenario, newer + 1);
    return (which.keep !== undefined && newer >= which.keep) || (which.before !== undefined && started < which.before);
  });
  if (which.dryRun || doomed.length === 0) return doomed;
  db.transaction(() => {
    for (const { id } of doomed) db.run("DELETE FROM runs WHERE id = ?", id);
    db.run("DELETE FROM plans WHERE sha256 NOT IN (SELECT plan FROM runs)");
    db.run("DELETE FROM sources WHERE sha256 NOT IN (SELECT sha256 FROM modules)");
  });
  return doomed;
}
