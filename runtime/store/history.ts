import { z } from "zod";
import type { Database } from "./database.ts";
import type { HistoryPoint, RunSummary } from "./records.ts";

const readingSchema = z.tuple([
  z.union([z.number(), z.string()]),
  z.number().nullable(),
  z.number().nullable(),
  z.string(),
]);

/** A metric of a variant in each of `runs` that has the variant, the earliest first. */
export function historyOf(db: Database, runs: readonly RunSummary[], metric: string, variant: string): HistoryPoint[] {
  const rows = db.all(
    "SELECT run, readings -> ('$.' || json_quote(?)) AS reading FROM variants WHERE name = ?",
    metric,
    variant,
  );
  const readings = new Map(rows.map(({ run, reading }) => [String(run), reading]));
  return runs.toReversed().flatMap((run): HistoryPoint[] => {
    const reading = readings.get(run.id);
    if (reading === undefined) return [];
    if (reading === null) return [{ run, variant, value: null, low: null, high: null, unit: "" }];
    const [value, low, high, unit] = readingSchema.parse(JSON.parse(String(reading)));
    return [{ run, variant, value, low, high, unit }];
  });
}
