import { kernelDifferences } from "../analysis/exact_counts.ts";
import type { ExactCounts } from "../result/schema.ts";
import { formatCount, formatPercent, MISSING } from "./format.ts";
import { createPage, type LookOptions, renderSection } from "./page.ts";
import { figures, type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";

/** An exact count of a step before and after a change. */
export interface CountChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** Returns the counts that differ; a count that is unknown on both sides does not. */
function changedCounts(before: ExactCounts, after: ExactCounts): CountChange[] {
  return (Object.keys(before) as (keyof ExactCounts)[]).flatMap((name) => {
    const [then, now] = [before[name], after[name]];
    if (name === "kernels" || typeof then === "object" && then !== null || typeof now === "object" && now !== null) {
      return [];
    }
    return then === now ? [] : [{ name, before: then, after: now }];
  });
}

/** Renders the counts that changed, and the kernels; one line if nothing did. */
export function renderCountChanges(before: ExactCounts, after: ExactCounts, look: LookOptions): string {
  const page = createPage(look);
  const [then, now] = [before.kernels, after.kernels];
  const differences = then === null || now === null ? "" : kernelDifferences(now, then);
  const kernels = differences === "" ? [] : [`kernels: ${differences}`];
  const rows = changedCounts(before, after);
  if (rows.length === 0) {
    const text = kernels.length === 0 ? "none differs" : "only the kernels differ";
    return `${[`Exact counts of a step: ${text}`, ...kernels].flatMap((line) => wrap(line, page.width)).join("\n")}\n`;
  }
  const spec: TableSpec<CountChange> = {
    title: "Exact counts of a step that differ",
    columns: [
      words("count", ({ name }) => name),
      figures("before", ({ before }) => before, { format: countText }),
      figures("after", ({ after }) => after, { format: countText }),
      words("change", ({ before, after }) => changeText(before, after)),
    ],
    rows,
    notes: kernels,
  };
  return `${renderSection(page, spec).join("\n")}\n`;
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
