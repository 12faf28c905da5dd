/// <reference lib="dom" />
import { formatLoss, formatPercent } from "../../../format.ts";
import { noModelReason } from "../../../own_loop.ts";
import type { Overview } from "../../embedded.ts";
import { nameText } from "../names.ts";
import { isDashed, variantColor } from "../palette.ts";
import { type Content, notes } from "../section.ts";
import { seriesChart } from "../chart/series_chart.ts";

/** Returns the section of the losses of all variants. */
export function lossesSection(overview: Overview): Content {
  const about = "Loss of every step, including warm-up steps";
  const known = overview.variants.flatMap((variant, i) =>
    variant.losses.some((loss) => loss !== null) ? [{ variant, i }] : []
  );
  if (known.length === 0) {
    const [first] = overview.variants;
    const model = overview.variants.some(({ parameters }) => parameters !== null);
    return model || first === undefined ? "no loss was read" : noModelReason(first.config);
  }
  const steps = Math.max(...known.map(({ variant }) => variant.losses.length));
  const chart = seriesChart({
    label: "Losses over steps",
    x: { name: "step", values: Array.from({ length: steps }, (_, i) => i) },
    unit: "loss",
    series: known.map(({ variant: { name, losses }, i }) => ({
      name: nameText(name, 40),
      values: Array.from({ length: steps }, (_, step) => finite(losses[step] ?? null)),
      color: variantColor(i),
      kind: "line",
      dash: isDashed(i),
    })),
    include: [],
    format: formatLoss,
    height: 240,
  });
  return { about, content: [chart, notes([...diverged(overview), ...kept(overview), ...evaluations(overview)])] };
}

/** Returns a finite loss, or null to leave a gap in the line. */
function finite(loss: number | string | null): number | null {
  const value = loss === null ? NaN : Number(loss);
  return Number.isFinite(value) ? value : null;
}

function diverged({ variants }: Overview): string[] {
  return variants.flatMap(({ name, losses }) => {
    const first = losses.findIndex((loss) => typeof loss === "string");
    return first < 0 ? [] : [`${nameText(name)}: the loss is ${losses[first]} from step ${first}`];
  });
}

function kept({ variants }: Overview): string[] {
  return variants.flatMap(({ name, quality }) => {
    if (quality === null || !Number.isFinite(Number(quality.difference))) return [];
    const limit = quality.tolerance === null
      ? "no tolerance, since its settings change the training"
      : `tolerance ${formatPercent(quality.tolerance)} %: ${quality.kept ? "met" : "exceeded"}`;
    return [
      `${nameText(name)}: smoothed losses differ from the baseline's by ${
        formatPercent(Number(quality.difference))
      } % ` +
      `up to step ${quality.step}; ${limit}${first(quality)}`,
    ];
  });
}

function first({ first }: NonNullable<Overview["variants"][number]["quality"]>): string {
  if (first === null || !Number.isFinite(Number(first.difference))) return "";
  const [difference, tolerance] = [Number(first.difference), first.tolerance].map(formatPercent);
  return `; the first losses differ by ${difference} %, tolerance ${tolerance} %`;
}

function evaluations({ variants }: Overview): string[] {
  return variants.flatMap(({ name, evaluations }) => {
    const last = evaluations.at(-1);
    if (last === undefined) return [];
    const accuracy = last.accuracy === null ? "" : `accuracy ${(last.accuracy * 100).toFixed(1)} %`;
    const loss = last.loss === null ? "" : `loss ${formatLoss(Number(last.loss))}`;
    const score = [accuracy, loss].filter((word) => word !== "").join(", ");
    return [`${nameText(name)}: ${score} on ${nameText(last.split)} data after step ${last.step}`];
  });
}
