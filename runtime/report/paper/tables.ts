/**
 * Tables of a result in LaTeX, with booktabs and siunitx.
 *
 * @module
 */
import type { Metric, Result, VariantResult } from "../../result/schema.ts";
import { latexFigure, latexNumber, latexText, latexUncertain, MISSING } from "./latex.ts";

const MIB = 2 ** 20;

interface Column {
  /** Lines of the heading, in LaTeX. */
  readonly heading: readonly [string, string];
  readonly cell: (variant: VariantResult) => string | null;
}

/** Returns the table that compares the variants: speed, ratio with its interval, p, verdict, memory and loss. */
export function comparisonTable(result: Result): string {
  const unit = result.variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit ?? "samples/s";
  const level = result.variants.find(({ comparison }) => comparison !== null)?.comparison?.level ?? 0.95;
  return table({
    label: "tab:comparison",
    caption:
      `Speed of the variants of ${latexText(result.scenario.name)}. Throughput: of all blocks, and half the range ` +
      `over them. Ratio: speed relative to ${latexText(result.baseline)} with its ${
        percent(level)
      } confidence interval; ` +
      "$p$ is corrected for the number of variants.",
    columns: [
      { heading: ["throughput", latexText(unit)], cell: ({ metrics }) => spread(metrics.ips) },
      { heading: ["ratio", ""], cell: ratio },
      { heading: [percent(level), "interval"], cell: interval },
      {
        heading: ["$p$", ""],
        cell: ({ comparison }) => comparison?.adjustedP == null ? null : p(comparison.adjustedP),
      },
      { heading: ["verdict", ""], cell: ({ verdict, status }) => status === "failed" ? "failed" : verdict },
      { heading: ["memory", "MiB"], cell: ({ memory }) => memory === null ? null : latexFigure(memory.peak / MIB) },
      {
        heading: ["final", "loss"],
        cell: ({ finalLoss }) => finalLoss === null ? null : latexFigure(Number(finalLoss.value)),
      },
    ],
    variants: result.variants,
  });
}

/** Returns the table of the time of a step and its parts. */
export function timesTable({ variants, scenario }: Result): string {
  const time = (name: string, value: (variant: VariantResult) => Metric | null): Column => ({
    heading: [name, "ms"],
    cell: (variant) => spread(value(variant)),
  });
  return table({
    label: "tab:times",
    caption: `Time of a training step of ${latexText(scenario.name)}: of all blocks, and half the range over them.`,
    columns: [
      time("step", ({ metrics }) => metrics.batchCost),
      time("data", ({ metrics }) => metrics.readerCost),
      time("idle gap", ({ metrics }) => metrics.iterationGap),
      time("forward", ({ metrics }) => metrics.forward),
      time("backward", ({ metrics }) => metrics.backward),
      time("update", ({ metrics }) => metrics.update),
    ],
    variants,
  });
}

function table(
  { label, caption, columns, variants }: {
    readonly label: string;
    readonly caption: string;
    readonly columns: readonly Column[];
    readonly variants: readonly VariantResult[];
  },
): string {
  const rows = variants.map((variant) => [latexText(variant.name), ...columns.map(({ cell }) => cell(variant))]);
  // A column that no variant has is left out
  const kept = columns.map((_, i) => i).filter((i) => rows.some((row) => row[i + 1] !== null));
  const line = (cells: readonly (string | null)[]) => `  ${cells.map((cell) => cell ?? MISSING).join(" & ")} \\\\`;
  return [
    "\\begin{table}",
    "\\centering",
    `\\caption{${caption}}`,
    `\\label{${label}}`,
    `\\begin{tabular}{l${"r".repeat(kept.length)}}`,
    "  \\toprule",
    line(["variant", ...kept.map((i) => columns[i]!.heading[0])]),
    line(["", ...kept.map((i) => columns[i]!.heading[1])]),
    "  \\midrule",
    ...rows.map((row) => line([row[0]!, ...kept.map((i) => row[i + 1]!)])),
    "  \\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
}

/** A metric with half its range over blocks. */
function spread(metric: Metric | null): string | null {
  if (metric === null) return null;
  const { value, min, max } = metric;
  return latexUncertain(value, min === null || max === null ? null : (max - min) / 2);
}

/** Decimals of a ratio, by the width of its interval. */
function digits({ metrics: { speedup } }: VariantResult): number {
  const narrow = speedup !== null && speedup.low !== null && speedup.high !== null &&
    speedup.high - speedup.low < 0.015 && speedup.high > speedup.low;
  return narrow ? 3 : 2;
}

function ratio(variant: VariantResult): string | null {
  const { speedup } = variant.metrics;
  return speedup === null ? null : latexNumber(speedup.value, digits(variant));
}

function interval(variant: VariantResult): string | null {
  const estimate = variant.comparison?.speedup;
  if (estimate == null || estimate.low === null || estimate.high === null) return null;
  return `${latexNumber(estimate.low, digits(variant))} to ${latexNumber(estimate.high, digits(variant))}`;
}

function p(value: number): string {
  return value > 0 && value < 0.001 ? "\\num{<0.001}" : latexNumber(value, 3);
}

/** A level of confidence in per cent. */
export function percent(level: number): string {
  return `\\qty{${Number((100 * level).toPrecision(4))}}{\\percent}`;
}
