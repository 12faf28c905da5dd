import type { EnvironmentDifference } from "../../analysis/environment_differences.ts";
import type { MetricPair, VariantPair } from "../../analysis/run_comparison.ts";
import type { Reading } from "../../analysis/gates/reading.ts";
import { formatLoss, formatNumber, MISSING, ratioEnds } from "../../report/format.ts";
import { namesInProse } from "../../report/plain_text.ts";
import { formatBytes } from "../../report/quantities.ts";
import { type Column, figures, type TableSpec, words } from "../../report/spec.ts";

/** Note below every comparison of kept runs. */
export const COMPARISON_NOTE =
  "the runs were not interleaved: the ratios include changes of the machine between them, which the intervals " +
  "(Welch, 95 %) do not cover";

/** Note that explains the mark of a change. */
export const MARK_NOTE = "*  the interval excludes ×1, no change";

/** Returns the differences of two runs in environment and settings, one sentence each. */
export function differenceSentences(
  ids: readonly [string, string],
  environment: readonly EnvironmentDifference[],
  settings: readonly string[],
): string[] {
  return [
    ...environment.map(({ what, then, now }) =>
      `${what}: ${then ?? MISSING} in ${ids[0]}, ${now ?? MISSING} in ${ids[1]}`
    ),
    ...settings.map((line) => line.replace(/ then, (.*) now$/s, ` in ${ids[0]}, $1 in ${ids[1]}`)),
  ];
}

/** A metric of a variant in both runs. */
export interface ComparisonRow extends MetricPair {
  /** Name of the variant. */
  readonly of: string;
  /** Name of the variant in its first row; otherwise empty. */
  readonly variant: string;
}

/** Table of the metrics of two runs. */
export function comparisonTable(
  ids: readonly [string, string],
  variants: readonly VariantPair[],
): TableSpec<ComparisonRow> {
  const rows = variants.flatMap(({ name, metrics }) =>
    metrics.map((pair, i): ComparisonRow => ({ ...pair, of: name, variant: i === 0 ? name : "" }))
  );
  return {
    title: `Then ${ids[0]}, now ${ids[1]}`,
    columns: [
      words("variant", ({ variant }) => variant, { breakAfter: "," }),
      words("metric", ({ metric }) => metric.name),
      words("unit", unitOf, { dropFirst: 2 }),
      { ...reading("then", ({ a }) => a), dropFirst: 1 },
      reading("now", ({ b }) => b),
      figures("change", ({ change }) => change?.value ?? null, { heading: ["now", "/ then"], format: changeText }),
      words("interval", interval, { heading: ["95 % interval"] }),
    ],
    rows,
    notes: [
      ...rows.some(isMarked) ? [MARK_NOTE] : [],
      ...statusNotes(ids, variants),
      ...lossNotes(variants),
      COMPARISON_NOTE,
    ],
  };
}

function reading(name: string, of: (row: ComparisonRow) => Reading | null): Column<ComparisonRow> {
  return {
    name,
    heading: [name],
    align: "right",
    value: (row) => readingValue(of(row)),
    text: (row) => readingText(of(row)!),
  };
}

/** Returns the number or word of a reading; null for what was not measured. */
export function readingValue(reading: Reading | null): number | string | null {
  if (reading === null || reading.kind === "missing") return null;
  return reading.kind === "word" ? reading.word : reading.value;
}

/** Formats a reading, without its unit except bytes. */
export function readingText(reading: Reading): string {
  return reading.kind === "number" ? show(reading.value, reading.unit) : reading.kind === "word" ? reading.word : "";
}

/** Returns the unit of a metric; empty without one, and for bytes, which have theirs beside the number. */
export function unitOf({ a, b }: MetricPair): string {
  const unit = unitIn(a) ?? unitIn(b) ?? "";
  return unit === "bytes" ? "" : unit;
}

function unitIn(reading: Reading | null): string | null {
  return reading?.kind === "number" ? reading.unit : null;
}

function show(value: number, unit: string): string {
  switch (unit) {
    case "bytes":
      return formatBytes(value);
    case "ratio":
      return value.toFixed(3);
    case "":
      return Number.isInteger(value) ? String(value) : formatLoss(value);
    default:
      return formatNumber(value);
  }
}

/** Formats the change of a metric. */
export function changeText(value: number, { change, a, b }: MetricPair): string {
  if (change?.by === "ratio") return `×${value.toFixed(3)}`;
  const unit = unitIn(a) ?? unitIn(b);
  return unit === "bytes" ? `${value < 0 ? "-" : "+"}${formatBytes(Math.abs(value))}` : signed(value);
}

function interval(pair: MetricPair): string | null {
  if (pair.change === null || pair.change.interval === null) return null;
  const { by, interval: { low, high } } = pair.change;
  const ends = by === "ratio" ? ratioEnds(low, high, (ratio) => ratio.toFixed(3)) : [signed(low), signed(high)];
  return `${ends.join(" to ")}${isMarked(pair) ? " *" : ""}`;
}

/** Returns true if the interval excludes no change. */
export function isMarked({ change }: MetricPair): boolean {
  if (change === null || change.interval === null) return false;
  const none = change.by === "ratio" ? 1 : 0;
  return change.interval.low > none || change.interval.high < none;
}

function signed(value: number): string {
  return `${value >= 0 ? "+" : ""}${formatNumber(value)}`;
}

/** Explains missing figures of variants in one of the runs. */
function statusNotes(ids: readonly [string, string], variants: readonly VariantPair[]): string[] {
  const kinds = [[null, "not in"], ["failed", "failed in"], ["interrupted", "interrupted in"]] as const;
  return kinds.flatMap(([status, words]) =>
    ids.flatMap((id, side) => {
      const names = variants.filter(({ statuses }) => statuses[side] === status).map(({ name }) => name);
      return names.length === 0 ? [] : [`${words} ${id}: ${namesInProse(names)}`];
    })
  );
}

function lossNotes(variants: readonly VariantPair[]): string[] {
  return variants.flatMap(({ name, losses }) => {
    if (losses === null || losses.steps === 0) return [];
    const { steps, first } = losses;
    if (first === null) return [`losses of ${name}: identical in all ${steps} steps that both runs have`];
    return [`losses of ${name}: differ from step ${first.step} on, ${first.then} then and ${first.now} now`];
  });
}
