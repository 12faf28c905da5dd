import { differenceInterval, type Interval, ratioInterval } from "./block_interval.ts";
import type { Wanted } from "./gate.ts";
import type { NumberReading } from "./reading.ts";

/** A figure and its limit. */
export interface Comparand {
  /** Meaning of the figure: the metric, metric / reference, or metric - reference. */
  readonly by: "value" | "ratio" | "difference";
  readonly value: number;
  readonly interval: Interval | null;
  /** Number of blocks, the smaller of two runs; null if the metric is not measured per block. */
  readonly sample: number | null;
  readonly limit: number;
}

/**
 * Compares a figure with that of a stored run. The interval does not cover changes of the machine between the runs.
 */
export function compareReadings(
  reading: NumberReading,
  reference: NumberReading,
  wanted: Extract<Wanted, { run: string }>,
): Comparand {
  const sample = reading.blocks === null || reference.blocks === null
    ? null
    : Math.min(reading.blocks.length, reference.blocks.length);
  // The ratio of two different figures can round to 1
  const plain = sample === null && wanted.kind === "factor" && wanted.factor === 1;
  if (
    wanted.kind === "factor" && !plain && reading.value > 0 && reference.value > 0 && allPositive(reading, reference)
  ) {
    const value = reading.value / reference.value;
    return { by: "ratio", value, interval: ratio(reading, reference, value), sample, limit: wanted.factor };
  }
  const value = reading.value - reference.value;
  const limit = wanted.kind === "shift" ? wanted.by : (wanted.factor - 1) * Math.abs(reference.value);
  return { by: "difference", value, interval: difference(reading, reference), sample, limit };
}

function allPositive(...readings: readonly NumberReading[]): boolean {
  return readings.every(({ blocks }) => (blocks ?? []).every((value) => value > 0));
}

function ratio(a: NumberReading, b: NumberReading, value: number): Interval | null {
  if (a.blocks !== null && b.blocks !== null) {
    const interval = ratioInterval(a.blocks, b.blocks);
    return interval === null ? null : { low: Math.min(interval.low, value), high: Math.max(interval.high, value) };
  }
  if (a.interval === null || b.interval === null || b.interval.low <= 0) return null;
  return { low: a.interval.low / b.interval.high, high: a.interval.high / b.interval.low };
}

function difference(a: NumberReading, b: NumberReading): Interval | null {
  if (a.blocks !== null && b.blocks !== null) return differenceInterval(a.blocks, b.blocks);
  if (a.interval === null || b.interval === null) return null;
  return { low: a.interval.low - b.interval.high, high: a.interval.high - b.interval.low };
}
