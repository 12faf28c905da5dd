import { fromLoss, type Metric, type Result, type VariantResult } from "../../result/schema.ts";
import { boundCell } from "../bound_cell.ts";
import type { Tone } from "../color.ts";
import {
  formatDifference,
  formatInterval,
  formatLoss,
  formatMiB,
  formatNumber,
  formatPercent,
  formatProbability,
  formatRatio,
} from "../format.ts";
import { type MatrixColumn, variantColumn } from "./column.ts";
import { settingsOf } from "../settings.ts";
import type { Cell } from "../table.ts";

/** The part of the matrix that says which variant is faster, by how much, how sure that is, and what it costs. */
export function speedColumns(result: Result): MatrixColumn[] {
  const { variants } = result;
  const baseline = variants.find((variant) => variant.name === result.baseline);
  const unit = speedUnit(variants);
  const judged = variants.some(({ comparison, verdict }) => comparison !== null || verdict !== null);
  return [
    variantColumn("variant"),
    { name: unit, heading: [unit], align: "right", needs: [], cell: ({ metrics }) => speed(metrics.ips) },
    { name: "ratio", heading: ["ratio"], align: "right", needs: [], cell: ratio },
    ...judged ? verdictColumns(result) : [],
    {
      name: "peak memory",
      heading: ["peak", "MiB"],
      align: "right",
      needs: ["model"],
      dropFirst: 1,
      cell: ({ memory }) => memory && { text: formatMiB(memory.peak) },
    },
    {
      name: "final loss",
      heading: ["final", "loss"],
      align: "right",
      needs: ["model"],
      dropFirst: 8,
      cell: ({ finalLoss }) => finalLoss && { text: formatLoss(fromLoss(finalLoss.value)) },
    },
    ...variants.length > 1 ? [lossDistance(baseline)] : [],
    {
      name: "bound",
      heading: ["bound"],
      align: "left",
      needs: [],
      dropFirst: 7,
      cell: ({ bound }) => bound && boundCell(bound),
    },
  ];
}

const VERDICT_TONES: Readonly<Record<NonNullable<VariantResult["verdict"]>, Tone | undefined>> = {
  faster: "good",
  slower: "bad",
  same: undefined,
  unclear: "warning",
  invalid: "bad",
};

/** The tone of what a variant's verdict is about. */
function verdictTone({ verdict }: VariantResult): { tone?: Tone } {
  const tone = verdict === null ? undefined : VERDICT_TONES[verdict];
  return tone === undefined ? {} : { tone };
}

/** The baseline is not compared with itself: its cells are empty. */
function verdictColumns(result: Result): MatrixColumn[] {
  const level = result.variants.flatMap(({ comparison }) => comparison ?? [])[0]?.level ?? 0.95;
  const unlessBaseline = (cell: (variant: VariantResult) => Cell | null) => (variant: VariantResult) =>
    variant.name === result.baseline ? { text: "" } : cell(variant);
  return [
    {
      name: "interval",
      heading: [`${formatPercent(level)} %`, "interval"],
      align: "right",
      needs: [],
      dropFirst: 9,
      cell: unlessBaseline(({ comparison }) => {
        if (comparison === null || comparison.speedup.low === null || comparison.speedup.high === null) return null;
        return { text: formatInterval(comparison.speedup.low, comparison.speedup.high) };
      }),
    },
    {
      name: "verdict",
      heading: ["verdict"],
      align: "left",
      needs: [],
      cell: unlessBaseline((variant) => variant.verdict && { text: variant.verdict, ...verdictTone(variant) }),
    },
    {
      name: "p",
      heading: ["p"],
      align: "right",
      needs: [],
      dropFirst: 0,
      cell: unlessBaseline(({ comparison }) => {
        const p = comparison?.adjustedP ?? comparison?.p ?? null;
        return p === null ? null : { text: formatProbability(p) };
      }),
    },
  ];
}

/** What the speed is counted in, as measured, or as the data calls its samples where nothing was. */
function speedUnit(variants: Result["variants"]): string {
  const measured = variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit;
  const called = variants.map(({ config }) => settingsOf(config).unit).find((unit) => unit !== undefined);
  return measured ?? `${called ?? "samples"}/s`;
}

function speed(metric: Metric | null): Cell | null {
  if (metric === null) return null;
  const value = formatNumber(metric.value);
  if (metric.low === null || metric.high === null) return { text: value };
  return { text: `${value} ±${formatPercent((metric.high - metric.low) / 2 / metric.value)}%` };
}

function ratio(variant: VariantResult): Cell | null {
  const { speedup } = variant.metrics;
  return speedup && { text: formatRatio(speedup.value), ...verdictTone(variant) };
}

/** The final loss minus the baseline's, where both belong to the same step. */
function lossDistance(baseline: VariantResult | undefined): MatrixColumn {
  return {
    name: "loss difference",
    heading: ["loss", "diff."],
    align: "right",
    needs: ["model"],
    dropFirst: 6,
    cell: ({ finalLoss }) => {
      const reference = baseline?.finalLoss;
      if (!finalLoss || !reference || finalLoss.step !== reference.step) return null;
      return { text: formatDifference(fromLoss(finalLoss.value) - fromLoss(reference.value)) };
    },
  };
}
