import { kernelDifferences } from "../analysis/exact_counts.ts";
import type { ExactCounts } from "../result/schema.ts";
import { formatCount, formatPercent, MISSING } from "./format.ts";
import { figures, type TableSpec, words } from "./spec.ts";

/** An exact count of a step before and after a change. */
export interface CountChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** Returns the counts that differ; a count that is unknown on both sides does not. */
export function changedCounts(before: ExactCounts, after: ExactCounts): CountChange[] {
  return (Object.keys(before) as (keyof ExactCounts)[]).flatMap((name) => {
    const [then, now] = [before[name], after[name]];
    if (name === "kernels" || typeof then === "object" && then !== null || typeof now === "object" && now !== null) {
      return [];
    }
    return then === now ? [] : [{ name, before: then, after: now }];
  });
}

/** Returns the table of the counts that changed, with the kernels that did below it. */
export function countChangesTable(before: ExactCounts, after: ExactCounts): TableSpec<CountChange> {
  const kernels = before.kernels === null || after.kernels === null
    ? ""
    : kernelDifferences(after.kernels, before.kernels);
  const rows = changedCounts(before, after);
  const same = rows.length === 0 && kernels === "";
  return {
    title: same ? "Exact counts of a step: none differs" : "Exact counts of a step that differ",
    columns: [
      words("count", ({ name }) => name),
      figures("before", ({ before }) => before, { format: countText }),
      figures("after", ({ after }) => after, { format: countText }),
      words("change", ({ before, after }) => changeText(before, after)),
    ],
    rows,
    notes: kernels === "" ? [] : [`kernels: ${kernels}`],
  };
}

function countText(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(Math.round(value * 1000) / 1000);
}

function changeText(before: number | null, after: number | null): string {
  if (before === null || after === null) return MISSING;
  const sign = after > before ? "+" : "-";
  const by = `${sign}${countText(Math.abs(after - before))}`;
  return before === 0 ? by : `${by} (${sign}${formatPercent(Math.abs(after / before - 1))} %)`;
}
