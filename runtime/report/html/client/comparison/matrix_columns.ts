/// <reference lib="dom" />
import { ofPhase, phasesOf } from "../../../../record/phases.ts";
import type { Metric, MetricName, Metrics } from "../../../../result/schema.ts";
import { formatDifference, formatLoss, formatMiB, formatNumber, formatPercent, MISSING } from "../../../format.ts";
import type { Overview, VariantOverview } from "../../embedded.ts";
import { type Child, el, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { variantColor } from "../palette.ts";
import { hrefOf } from "../route.ts";
import type { TableColumn } from "../table.ts";
import { speedColumns } from "./speed_columns.ts";

type Column = TableColumn<VariantOverview>;

/** The columns of the comparison; those of which nothing was measured stay, but for rare ones. */
export function matrixColumns(overview: Overview): Column[] {
  const { variants } = overview;
  const unit = variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit ?? "samples/s";
  const some = (name: MetricName) => variants.some(({ metrics }) => metrics[name] !== null);
  const columns: (Column | null)[] = [
    variantColumn(overview),
    ...variants.length > 1 ? speedColumns(overview) : [],
    {
      title: unit,
      value: ({ metrics }) => metrics.ips?.value ?? null,
      show: ({ metrics: { ips } }) => ips && speedText(ips),
      help: "Samples of a block / its wall time; ± half the range over the blocks",
    },
    time("batch cost", ({ batchCost }) => batchCost, "From one step's start to the next, on the host's clock"),
    time("reader cost", ({ readerCost }) => readerCost, "The part of it in which the training loop waited for a batch"),
    some("stepTime")
      ? time("step time", ({ stepTime }) => stepTime, "A step by the variant's own way of timing")
      : null,
    time("iter. gap", ({ iterationGap }) => iterationGap, "The device's idle time between two steps"),
    ...phasesOf(variants.map(({ metrics }) => metrics)).map(({ name, label, help }) =>
      time(label, (metrics) => ofPhase(metrics, name), help)
    ),
    some("runtimeWait")
      ? time("runtime wait", ({ runtimeWait }) => runtimeWait, "Time lost in Deno's own sleep after a wait")
      : null,
    {
      title: "busy",
      unit: "%",
      value: ({ metrics }) => metrics.deviceBusy?.value ?? null,
      show: ({ metrics }) => metrics.deviceBusy && formatPercent(metrics.deviceBusy.value),
      help: "Phases' share of the time from the first step's start to the last's end",
    },
    {
      title: "peak memory",
      unit: "MiB",
      value: ({ memory }) => memory?.peak ?? null,
      show: ({ memory }) => memory && formatMiB(memory.peak),
      help: "Device memory as planned",
    },
    {
      title: "final loss",
      value: ({ finalLoss }) => finalLoss && Number(finalLoss.value),
      show: ({ finalLoss }) => finalLoss && formatLoss(Number(finalLoss.value)),
      help: "After the same number of steps in every variant",
    },
    variants.length > 1 ? lossDistance(overview) : null,
    some("accuracy")
      ? {
        title: "accuracy",
        unit: "%",
        value: ({ metrics }) => metrics.accuracy?.value ?? null,
        show: ({ metrics }) => metrics.accuracy && (metrics.accuracy.value * 100).toFixed(1),
        help: "On the test split, at the last evaluation",
      }
      : null,
    {
      title: "bound",
      align: "left",
      value: ({ bound }) => bound,
      help: "What limits the speed: input (batches), host (everything else on the CPU) or device",
    },
    findingsColumn(),
  ];
  return columns.filter((column) => column !== null);
}

function variantColumn({ variants, baseline }: Overview): Column {
  return {
    title: "variant",
    align: "left",
    value: ({ name }) => name,
    show: (variant) => {
      const { name, status } = variant;
      const words = [name === baseline ? "baseline" : "", status === "ok" ? "" : status].filter((word) => word !== "");
      return el(
        "span",
        { class: "name" },
        swatch(variantColor(variants.indexOf(variant)), "dot"),
        el("a", { href: hrefOf({ variant: name, anchor: "steps" }), title: nameText(name, 400) }, nameText(name, 48)),
        words.length === 0 || (words.length === 1 && name === words[0]) ? null : el("small", {}, words.join(", ")),
      );
    },
  };
}

function speedText({ value, low, high }: Metric): Child {
  const spread = low === null || high === null || value === 0 ? "" : ` ±${formatPercent((high - low) / 2 / value)} %`;
  return el("span", {}, formatNumber(value), spread === "" ? null : el("small", {}, spread));
}

function time(title: string, of: (metrics: Metrics) => Metric | null, help: string): Column {
  return {
    title,
    unit: "ms",
    value: ({ metrics }) => of(metrics)?.value ?? null,
    show: ({ metrics }) => {
      const metric = of(metrics);
      return metric && `${formatNumber(metric.value)}${metric.amortised ? "*" : ""}`;
    },
    help,
  };
}

function lossDistance({ variants, baseline }: Overview): Column {
  const reference = variants.find(({ name }) => name === baseline)?.finalLoss ?? null;
  const distance = ({ finalLoss }: VariantOverview) =>
    finalLoss === null || reference === null || finalLoss.step !== reference.step
      ? null
      : Number(finalLoss.value) - Number(reference.value);
  return {
    title: "loss diff.",
    value: distance,
    show: (variant) => {
      const known = distance(variant);
      return known === null ? null : formatDifference(known);
    },
    help: "Distance from the baseline's final loss",
  };
}

function findingsColumn(): Column {
  return {
    title: "findings",
    value: ({ findings }) => findings.length,
    show: ({ name, findings }) =>
      findings.length === 0
        ? MISSING
        : el("a", { href: hrefOf({ variant: name, anchor: "findings" }) }, String(findings.length)),
  };
}
