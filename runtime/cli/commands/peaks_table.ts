import type { KeptPeaks } from "../../engine/peak_cache.ts";
import { isQuiet, peaksByName } from "../../record/peak_choice.ts";
import type { Peak } from "../../record/peaks.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { peakRate } from "../../report/peaks.ts";
import { figures, names, percentages, type TableSpec, words } from "../../report/spec.ts";

interface Row {
  readonly adapter: KeptPeaks["adapter"];
  readonly name: string;
  readonly peak: Peak;
}

/** Returns the table of kept peaks, one row for each peak of each adapter. */
export function peaksTable(title: string, kept: readonly KeptPeaks[]): TableSpec<Row> {
  const rows = kept.flatMap(({ adapter, peaks }) =>
    peaksByName(peaks).map(([name, peak]): Row => ({ adapter, name, peak }))
  );
  return {
    title,
    columns: [
      names("adapter", ({ adapter }) => adapter.name),
      words("Deno", ({ adapter }) => adapter.deno, { dropFirst: 2 }),
      words("peak", ({ name }) => name),
      figures("rate", ({ peak }) => peak.value, { format: (_, { peak }) => peakRate(peak) }),
      words("measured", ({ peak }) => dateText(Date.parse(peak.date))),
      percentages("other load", ({ peak }) => peak.load, { heading: ["other", "load %"] }),
      percentages("spread", ({ peak }) => peak.spread, { heading: ["spread", "%"] }),
      words("conditions", ({ peak }) => isQuiet(peak) ? "quiet" : "busy", {
        tone: ({ peak }) => isQuiet(peak) ? null : "warning",
      }),
      words("kernel", ({ peak }) => peak.kernel, { dropFirst: 1 }),
    ],
    rows,
    notes: [
      "other load: CPU time of other processes during the measurement, of all cores",
      "spread: how much slower the median run was than the fastest",
      ...rows.some(({ peak }) => !isQuiet(peak))
        ? ["busy: may be higher on a quiet machine; a profiled run under half of the load measures it again"]
        : [],
    ],
  };
}
