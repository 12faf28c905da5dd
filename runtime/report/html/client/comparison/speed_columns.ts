/// <reference lib="dom" />
import type { Overview, VariantOverview } from "../../embedded.ts";
import { type Interval, IntervalPlot } from "../chart/interval_plot.ts";
import { estimateText, ratioText } from "../numbers.ts";
import type { TableColumn } from "../table.ts";
import { verdictElement } from "./verdict.ts";

/** Verdict, drawing and figures of the speed against the baseline. */
export function speedColumns({ variants, baseline }: Overview): TableColumn<VariantOverview>[] {
  const intervals = new Map(variants.map((variant) => [variant, intervalOf(variant)]));
  const plot = new IntervalPlot([...intervals.values()].filter((interval) => interval !== null));
  return [
    {
      title: "verdict",
      align: "left",
      value: ({ name, verdict }) => name === baseline ? null : verdict,
      show: (variant) => variant.name === baseline ? null : verdictElement(variant),
    },
    {
      title: "speed-up",
      align: "left",
      value: (variant) => intervals.get(variant)?.value ?? null,
      show: (variant) => {
        const interval = intervals.get(variant) ?? null;
        return interval && plot.row(interval, `Speed-up ${estimateText(interval.value, interval.low, interval.high)}`);
      },
      under: () => plot.axis(),
      help:
        "Time per sample of the baseline / that of the variant; the whisker is the interval, the band is no difference",
    },
    {
      title: "×",
      value: (variant) => intervals.get(variant)?.value ?? null,
      show: (variant) => {
        const interval = intervals.get(variant);
        return interval ? ratioText(interval.value) : null;
      },
    },
    {
      title: "interval",
      value: (variant) => variant.comparison?.speedup.low ?? null,
      show: ({ comparison }) => {
        const { low = null, high = null } = comparison?.speedup ?? {};
        return low === null || high === null ? null : `${ratioText(low)}–${ratioText(high)}`;
      },
    },
  ];
}

/** The measured comparison, else the plain ratio of speeds. */
function intervalOf({ comparison, metrics, verdict }: VariantOverview): Interval | null {
  if (comparison !== null) return { ...comparison.speedup, band: comparison.band, tone: verdict };
  return metrics.speedup && { value: metrics.speedup.value, low: null, high: null, band: null, tone: verdict };
}
