/// <reference lib="dom" />
import type { PipelineQueue } from "../../../../result/pipeline.ts";
import type { VariantContext } from "../context.ts";
import { notRun } from "../context.ts";
import { numberText, percentText } from "../numbers.ts";
import { type Content, notes } from "../section.ts";
import type { Series } from "../chart/series.ts";
import { seriesChart } from "../chart/series_chart.ts";

const QUEUES = [["host", "ready in the loader", "--series-1"], [
  "device",
  "staged on the device",
  "--series-4",
]] as const;

/** Largest number of workers that are drawn individually. */
const MAX_WORKERS = 4;

/** Returns the section of queue depths over the measured steps. */
export function queuesSection({ overview, variant }: VariantContext): Content {
  const about = "Batches at each measured step";
  const { queues, pipeline, blocks } = variant;
  const series = [
    ...QUEUES.flatMap(([name, , color]) => depths(`${name} queue`, color, queues[name])),
    ...workers(pipeline),
  ];
  if (series.length === 0) return notRun({ overview, variant }, blocks.length) ?? reason(variant);
  const steps = Math.max(...series.map(({ values }) => values.length));
  const indices = blocks.flatMap((block) => block.steps.map(({ index }) => index));
  const chart = seriesChart({
    label: "Batches in the queues over the measured steps",
    x: { name: "step", values: indices.length === steps ? indices : Array.from({ length: steps }, (_, i) => i) },
    unit: "batches",
    series: series.map((one) => ({ ...one, values: Array.from({ length: steps }, (_, i) => one.values[i] ?? null) })),
    format: String,
    height: 150,
  });
  const lines = QUEUES.map(([name, where]) => {
    const depths = queues[name] ?? [];
    if (depths.length === 0) return `${name} queue: –, not used by this variant`;
    return sentence(`${name} queue, ${where}`, depths, pipeline?.queues[name] ?? null);
  });
  return { about, content: [chart, notes(lines)] };
}

/** Returns the series of a queue's depths; empty without that queue. */
function depths(name: string, color: string, values: readonly number[] | undefined): Series[] {
  return values === undefined || values.length === 0 ? [] : [{ name, color, kind: "steps", values }];
}

/** Returns the series of finished batches waiting in each worker. */
function workers(pipeline: VariantContext["variant"]["pipeline"]): Series[] {
  const made = pipeline?.threads.filter(({ worker }) => worker !== null) ?? [];
  if (made.length < 2 || made.length > MAX_WORKERS) return [];
  return made.flatMap(({ worker, ready }, i) => {
    return depths(`worker ${worker}`, `--series-${[2, 3, 5, 6][i]}`, ready).map((one) => ({ ...one, dash: true }));
  });
}

function sentence(name: string, depths: readonly number[], known: PipelineQueue | null): string {
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
  const empty = known?.empty ?? depths.filter((depth) => depth === 0).length / depths.length;
  const capacity = known?.capacity ?? null;
  const full = known?.full ?? null;
  return `${name}: ${numberText(mean)}${capacity === null ? "" : ` of ${capacity}`} on average; ` +
    `empty at ${percentText(empty)} of the steps${full === null ? "" : `, full at ${percentText(full)}`}`;
}

function reason({ pipeline }: VariantContext["variant"]): string {
  return pipeline?.numWorkers === 0
    ? "no queue: the main thread prepares each batch on demand"
    : "no queue was sampled";
}
