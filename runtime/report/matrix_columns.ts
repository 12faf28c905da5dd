import { fromLoss, type Metric, type MetricName, type Result, type VariantResult } from "../result/schema.ts";
import { formatDifference, formatLoss, formatMiB, formatNumber, formatPercent } from "./format.ts";
import { settingsOf } from "./settings.ts";
import type { Cell, Column } from "./table.ts";

/** Marks a figure that is the time of a sink divided by its steps. */
export const AMORTISED = "*";

/** Marks a variant that was interrupted. */
export const INTERRUPTED = "†";

/** What a column cannot be measured without. */
export type Need = "model" | "timestamps" | "optimizer";

/** A column of the matrix: null stands for what was not measured. */
export interface MatrixColumn extends Column {
  needs: readonly Need[];
  cell(variant: VariantResult): Cell | null;
}

/** The columns of a result's matrix, from left to right. */
export function matrixColumns(result: Result): MatrixColumn[] {
  const baseline = result.variants.find((variant) => variant.name === result.baseline);
  const unit = speedUnit(result.variants);
  const device: readonly Need[] = ["model", "timestamps"];
  const training: readonly Need[] = ["model", "optimizer", "timestamps"];
  const columns: MatrixColumn[] = [
    { name: "variant", heading: ["variant"], align: "left", breakAfter: ",", needs: [], cell: variantName },
    { name: unit, heading: [unit], align: "right", needs: [], cell: ({ metrics }) => speed(metrics.ips) },
    { name: "ratio", heading: ["ratio"], align: "right", needs: [], cell: ratio(result) },
    time("batch cost", ["batch", "cost", "ms"], "batchCost", [], 9),
    time("reader cost", ["reader", "cost", "ms"], "readerCost", [], 8),
    time("iteration gap", ["iter.", "gap", "ms"], "iterationGap", device, 2),
    time("forward", ["forward", "ms"], "forward", device, 5),
    time("backward", ["backward", "ms"], "backward", training, 4),
    time("update", ["update", "ms"], "update", training, 3),
    {
      name: "device busy",
      heading: ["device", "busy %", "phases"],
      align: "right",
      needs: device,
      dropFirst: 7,
      cell: ({ metrics }) => metrics.deviceBusy && { text: formatPercent(metrics.deviceBusy.value) },
    },
    {
      name: "peak memory",
      heading: ["peak", "mem.", "MiB"],
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
      cell: ({ finalLoss }) => finalLoss && { text: formatLoss(fromLoss(finalLoss.value)) },
    },
  ];
  if (result.variants.some(({ metrics }) => metrics.stepTime !== null)) {
    columns.splice(5, 0, time("step time", ["step", "time", "ms"], "stepTime", ["model"], 9));
  }
  if (result.variants.length > 1) columns.push(lossDistance(baseline));
  columns.push({
    name: "bound",
    heading: ["bound"],
    align: "left",
    needs: [],
    cell: ({ bound }) => bound && { text: bound, tone: bound },
  });
  return columns;
}

/** What the speed is counted in, as measured, or as the data calls its samples where nothing was. */
function speedUnit(variants: Result["variants"]): string {
  const measured = variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit;
  const called = variants.map(({ config }) => settingsOf(config).unit).find((unit) => unit !== undefined);
  return measured ?? `${called ?? "samples"}/s`;
}

function variantName({ name, status }: VariantResult): Cell {
  return status === "interrupted" ? { text: name, mark: INTERRUPTED } : { text: name };
}

function speed(metric: Metric | null): Cell | null {
  if (metric === null) return null;
  const value = formatNumber(metric.value);
  if (metric.low === null || metric.high === null) return { text: value };
  return { text: `${value} ±${formatPercent((metric.high - metric.low) / 2 / metric.value)}%` };
}

/** Ratios, the best and the worst in colour where they differ in print. */
function ratio(result: Result): (variant: VariantResult) => Cell | null {
  const format = ({ metrics }: VariantResult) => metrics.speedup && `×${metrics.speedup.value.toFixed(2)}`;
  const known = result.variants.filter((variant) => variant.metrics.speedup !== null)
    .toSorted((a, b) => a.metrics.speedup!.value - b.metrics.speedup!.value)
    .map(format);
  const [worst, best] = [known[0], known.at(-1)];
  return (variant) => {
    const text = format(variant);
    if (text === null) return null;
    if (best === worst || (text !== best && text !== worst)) return { text };
    return { text, tone: text === best ? "good" : "bad" };
  };
}

function time(
  name: string,
  heading: readonly string[],
  metric: MetricName,
  needs: readonly Need[],
  dropFirst: number,
): MatrixColumn {
  return {
    name,
    heading,
    align: "right",
    needs,
    dropFirst,
    cell: ({ metrics }) => {
      const measured = metrics[metric];
      if (measured === null) return null;
      const text = formatNumber(measured.value);
      return measured.amortised ? { text, mark: AMORTISED } : { text };
    },
  };
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
