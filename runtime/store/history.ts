/**
 * Metrics of each variant beside its result, so that the history of a metric reads no whole results.
 *
 * @module
 */
import { z } from "zod";
import { parseJson } from "../core/strangers_json.ts";
import { GATE_METRICS, splitSubject } from "../analysis/gates/gate_metrics.ts";
import { readMetric } from "../analysis/gates/reading.ts";
import type { Result, VariantResult } from "../result/schema.ts";
import type { Database } from "./database.ts";
import type { HistoryPoint, RunSummary } from "./records.ts";

/** A metric's value (a number or a word), the bounds of its interval, and its unit. */
const keptReadingSchema = z.tuple([
  z.union([z.number(), z.string()]),
  z.number().nullable(),
  z.number().nullable(),
  z.string(),
]);

type KeptReading = z.infer<typeof keptReadingSchema>;

/** Returns every measured metric of a variant, by name. */
export function readingsOf(result: Result, variant: VariantResult): Record<string, KeptReading> {
  const kept: Record<string, KeptReading> = {};
  for (const name of GATE_METRICS) {
    const { metric } = splitSubject(`${name}.${variant.name}`, name);
    const reading = readMetric(result, variant, metric);
    if (reading.kind === "word") kept[name] = [reading.word, null, null, ""];
    if (reading.kind !== "number" || !Number.isFinite(reading.value)) continue;
    const { value, unit, interval } = reading;
    kept[name] = [value, interval?.low ?? null, interval?.high ?? null, unit];
  }
  return kept;
}

/**
 * Returns a metric of a variant in each of `runs` that has the variant, in reverse order.
 *
 * @param onDamage takes runs that are left out, since their metrics cannot be read
 */
export function historyOf(
  db: Database,
  runs: readonly RunSummary[],
  metric: string,
  variant: string,
  onDamage: (run: RunSummary) => void,
): HistoryPoint[] {
  const rows = db.all(
    "SELECT run, CASE WHEN json_valid(readings) THEN readings -> ('$.' || json_quote(?)) ELSE '' END AS reading " +
      "FROM variants WHERE name = ? AND run IN (SELECT value FROM json_each(?))",
    metric,
    variant,
    JSON.stringify(runs.map(({ id }) => id)),
  );
  const readings = new Map(rows.map(({ run, reading }) => [String(run), reading]));
  return runs.toReversed().flatMap((run): HistoryPoint[] => {
    const reading = readings.get(run.id);
    if (reading === undefined) return [];
    if (reading === null) return [{ run, variant, value: null, low: null, high: null, unit: "" }];
    try {
      const [value, low, high, unit] = keptReadingSchema.parse(parseJson(String(reading)));
      return [{ run, variant, value, low, high, unit }];
    } catch {
      onDamage(run);
      return [];
    }
  });
}
