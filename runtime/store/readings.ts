import { GATE_METRICS, splitSubject } from "../analysis/gates/gate_metrics.ts";
import { readMetric } from "../analysis/gates/reading.ts";
import type { Result, VariantResult } from "../result/schema.ts";

/** A metric as the history needs it: value, interval and unit, or a word. */
export type KeptReading = readonly [value: number | string, low: number | null, high: number | null, unit: string];

/** Every metric of a variant that was measured, by name. */
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
