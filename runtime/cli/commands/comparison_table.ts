import type { EnvironmentDifference } from "../../analysis/environment_differences.ts";
import type { MetricPair, VariantPair } from "../../analysis/run_comparison.ts";
import type { Reading } from "../../analysis/gates/reading.ts";
import { formatLoss, formatNumber, MISSING, ratioEnds } from "../../report/format.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import { formatBytes } from "../../report/quantities.ts";
import { namesInProse, printable } from "../../report/plain_text.ts";
import { wrap } from "../../report/wrap.ts";

const NOTE =
  "the runs were not measured side by side: what changed on the machine between them is in the ratios too, and " +
  "their intervals (Welch, 95 %) do not show it";

/** What two runs do not share, settings and surroundings. */
export function renderDifferences(
  ids: readonly [string, string],
  environment: readonly EnvironmentDifference[],
  settings: readonly string[],
  look: LookOptions,
): string {
  const { width } = createPage(look);
  const lines = [
    ...environment.map(({ what, then, now }) =>
      `${what}: ${then ?? MISSING} in ${ids[0]}, ${now ?? MISSING} in ${ids[1]}`
    ),
    ...settings.map((line) => line.replace(/ then, (.*) now$/s, ` in ${ids[0]}, $1 in ${ids[1]}`)),
  ];
  if (lines.length === 0) return "Environment and settings are the same\n";
  const shown = lines.flatMap((line) => wrap(`  ${printable(line)}`, width, 6));
  return `${["What differs between the runs:", ...shown].join("\n")}\n`;
}

interface Row extends MetricPair {
  /** Empty below the first row of a variant. */
  readonly variant: string;
}

/** The metrics of two runs beside each other. */
export function renderComparison(
  ids: readonly [string, string],
  variants: readonly VariantPair[],
  look: LookOptions,
): string {
  const page = createPage(look);
  const rows: Row[] = variants.flatMap(({ name, metrics }) =>
    metrics.map((pair, i) => ({ ...pair, variant: i === 0 ? name : "" }))
  );
  if (rows.length === 0) return "Nothing was measured that could be compared\n";
  const lines = renderSection<Row>(page, {
    title: `Then ${ids[0]}, now ${ids[1]}`,
    columns: [
      { name: "variant", heading: ["variant"], align: "left", breakAfter: ",", cell: ({ variant }) => variant },
      { name: "metric", heading: ["metric"], align: "left", cell: ({ metric }) => metric.name },
      { name: "unit", heading: ["unit"], align: "left", cell: unitOf },
      { name: "then", heading: ["then"], align: "right", cell: ({ a }) => figure(a) },
      { name: "now", heading: ["now"], align: "right", cell: ({ b }) => figure(b) },
      { name: "change", heading: ["now", "/ then"], align: "right", cell: change },
      { name: "interval", heading: ["95 % interval"], align: "left", cell: interval },
    ],
    rows,
    notes: [
      ...rows.some(isMarked) ? ["*  the interval leaves out no change"] : [],
      ...statusNotes(ids, variants),
      ...lossNotes(variants),
      NOTE,
    ],
  });
  return `${lines.join("\n")}\n`;
}

function unitOf({ a, b }: MetricPair): string {
  const unit = unitIn(a) ?? unitIn(b) ?? "";
  return unit === "bytes" ? "" : unit;
}

function unitIn(reading: Reading | null): string | null {
  return reading?.kind === "number" ? reading.unit : null;
}

function figure(reading: Reading | null): string | null {
  if (reading === null || reading.kind === "missing") return null;
  return reading.kind === "word" ? reading.word : show(reading.value, reading.unit);
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

function change({ change, a, b }: MetricPair): string | null {
  if (change === null) return null;
  if (change.by === "ratio") return `×${change.value.toFixed(3)}`;
  const unit = unitIn(a) ?? unitIn(b);
  return unit === "bytes"
    ? `${change.value < 0 ? "-" : "+"}${formatBytes(Math.abs(change.value))}`
    : signed(change.value);
}

function interval(pair: MetricPair): string | null {
  if (pair.change === null || pair.change.interval === null) return null;
  const { by, interval: { low, high } } = pair.change;
  const ends = by === "ratio" ? ratioEnds(low, high, (ratio) => ratio.toFixed(3)) : [signed(low), signed(high)];
  return `${ends.join(" to ")}${isMarked(pair) ? " *" : ""}`;
}

/** Whether the interval leaves out that nothing has changed. */
function isMarked({ change }: MetricPair): boolean {
  if (change === null || change.interval === null) return false;
  const none = change.by === "ratio" ? 1 : 0;
  return change.interval.low > none || change.interval.high < none;
}

function signed(value: number): string {
  return `${value >= 0 ? "+" : ""}${formatNumber(value)}`;
}

/** Why a variant has no figures in one of the runs, or not all of them. */
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
