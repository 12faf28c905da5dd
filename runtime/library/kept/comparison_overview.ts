import type { MetricPair, VariantPair } from "../../analysis/run_comparison.ts";
import { type Column, type TableSpec, words } from "../../report/spec.ts";
import {
  changeText,
  COMPARISON_NOTE,
  isMarked,
  MARK_NOTE,
  readingText,
  readingValue,
  unitOf,
} from "./comparison_table.ts";

/** Comparison of a run with the first of several. */
export interface OverviewComparison {
  readonly now: string;
  readonly variants: readonly VariantPair[];
}

/** A metric of a variant; a pair for each run after the first, null where neither run has it. */
export interface OverviewRow {
  /** Name of the variant. */
  readonly of: string;
  readonly metric: string;
  readonly pairs: readonly (MetricPair | null)[];
}

/** Table of the metrics of several runs, each beside its change from the first. */
export function overviewTable(first: string, comparisons: readonly OverviewComparison[]): TableSpec<OverviewRow> {
  const rows = overviewRows(comparisons);
  const known = (row: OverviewRow) => row.pairs.find((pair) => pair !== null)!;
  return {
    title: `Metrics of ${comparisons.length + 1} runs`,
    columns: [
      words("variant", ({ of }) => of, { breakAfter: "," }),
      words("metric", ({ metric }) => metric),
      words(
        "unit",
        (row) => row.pairs.map((pair) => pair === null ? "" : unitOf(pair)).find((unit) => unit !== "") ?? "",
      ),
      {
        ...{ name: first, heading: [first], align: "right" },
        value: (row) => readingValue(known(row).a),
        text: (row) => readingText(known(row).a!),
      },
      ...comparisons.map(({ now }, i) => runColumn(now, i)),
    ],
    rows,
    notes: [
      ...rows.some(({ pairs }) => pairs.some((pair) => pair !== null && isMarked(pair))) ? [MARK_NOTE] : [],
      `changes are from ${first}`,
      COMPARISON_NOTE,
    ],
  };
}

function runColumn(id: string, i: number): Column<OverviewRow> {
  return {
    ...{ name: id, heading: [id], align: "right" },
    value: ({ pairs }) => readingValue(pairs[i]?.b ?? null),
    text: ({ pairs }) => {
      const pair = pairs[i]!;
      const value = readingText(pair.b!);
      if (pair.change === null) return value;
      return `${value}  ${changeText(pair.change.value, pair)}${isMarked(pair) ? " *" : ""}`;
    },
  };
}

function overviewRows(comparisons: readonly OverviewComparison[]): OverviewRow[] {
  const variants = new Map<string, Map<string, (MetricPair | null)[]>>();
  for (const [i, comparison] of comparisons.entries()) {
    for (const { name, metrics } of comparison.variants) {
      const own = variants.get(name) ?? new Map<string, (MetricPair | null)[]>();
      variants.set(name, own);
      for (const pair of metrics) {
        const pairs = own.get(pair.metric.name) ?? comparisons.map(() => null);
        own.set(pair.metric.name, pairs);
        pairs[i] = pair;
      }
    }
  }
  return [...variants].flatMap(([name, metrics]) =>
    [...metrics].map(([metric, pairs]) => ({ of: name, metric, pairs }))
  );
}
