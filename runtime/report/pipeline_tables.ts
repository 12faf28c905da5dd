import { type QueueAfter, queueAfter } from "../analysis/pipeline_queues.ts";
import type { Pipeline, PipelineStage, PipelineThread, Spread } from "../result/pipeline.ts";
import type { Result, VariantResult } from "../result/schema.ts";
import { formatNumber } from "./format.ts";
import { type Column, counts, figures, names, percentages, type TableSpec, words } from "./spec.ts";

/** Largest number of workers that are shown individually. */
export const MAX_WORKERS = 8;

/** Variant with a recorded input pipeline. */
export interface Loading extends Pick<VariantResult, "name" | "queues" | "metrics"> {
  readonly pipeline: Pipeline;
}

export function withPipeline({ name, pipeline, queues, metrics }: VariantResult): Loading[] {
  return pipeline === null ? [] : [{ name, pipeline, queues, metrics }];
}

/** Returns the table of the figures that Paddle's training loop prints, one row for each variant. */
export function pipelinesTable({ variants }: Pick<Result, "variants">): TableSpec<Loading> {
  const rows = variants.flatMap(withPipeline);
  const unit = rows[0]?.metrics.ips?.unit ?? "samples/s";
  return {
    title: "Input pipeline",
    columns: [
      names("variant", ({ name }) => name),
      words("workers", ({ pipeline: { choice, numWorkers } }) => `${choice === null ? "" : "auto "}${numWorkers}`, {
        align: "right",
      }),
      spread("reader cost", ["reader cost ms", "avg (min-max)"], ({ readerCost }) => readerCost),
      spread("batch cost", ["batch cost ms", "avg (min-max)"], ({ batchCost }) => batchCost),
      percentages("reader share", ({ pipeline }) => pipeline.bound.readerShare, { heading: ["reader /", "batch %"] }),
      spread(unit, [unit, "avg (min-max)"], ({ ips }) => ips),
      percentages("host queue empty", ({ pipeline }) => pipeline.queues.host?.empty ?? null, {
        heading: ["host queue", "empty %"],
      }),
      percentages("device queue empty", ({ pipeline }) => pipeline.queues.device?.empty ?? null, {
        heading: ["device queue", "empty %"],
        dropFirst: 1,
      }),
    ],
    rows,
  };
}

function spread(name: string, heading: string[], of: (pipeline: Pipeline) => Spread): Column<Loading> {
  return words(name, ({ pipeline }) => spreadText(of(pipeline)), {
    heading,
    align: "right",
    sort: ({ pipeline }) => of(pipeline).avg,
  });
}

/** Returns the table of stages in order, with the queue that each fills, and a column for each thread if there are few. */
export function stagesTable(pipeline: Pipeline): TableSpec<PipelineStage> {
  const { stages, threads } = pipeline;
  const shown = threads.length > 1 && threads.length <= MAX_WORKERS ? threads : [];
  return {
    title: "Stages of the input pipeline",
    columns: [
      words("stage", ({ name }) => name, { breakAfter: "+", cut: true }),
      words("kind", ({ kind }) => kind === "handOver" ? "hand-over" : kind, { only: "data" }),
      figures("ms per sample", ({ perSample }) => perSample, { heading: ["ms per", "sample"], format: small }),
      figures("ms per batch", ({ perBatch }) => perBatch, { heading: ["ms per", "batch"], format: small }),
      percentages("share", ({ share }) => share, { heading: ["share", "%"] }),
      counts("threads", ({ threads }) => threads.length || null, { dropFirst: MAX_WORKERS + 2 }),
      words("queue after", (stage) => queueText(queueAfter(pipeline, stages.indexOf(stage))), {
        dropFirst: MAX_WORKERS + 1,
      }),
      ...shown.map(({ worker }) =>
        figures<PipelineStage>(`worker ${worker}`, (stage) => perSample(stage, worker), {
          heading: [`worker ${worker}`, "ms per sample"],
          dropFirst: MAX_WORKERS - (worker ?? 0),
          format: small,
        })
      ),
    ],
    rows: stages,
  };
}

/** Describes a queue: `host, 0.40 of 5`; null where the next stage is called directly. */
function queueText(after: QueueAfter | null): string | null {
  if (after === null) return null;
  const { name, queue: { capacity, depth } } = after;
  return `${name}, ${formatNumber(depth.avg)}${capacity === null ? "" : ` of ${capacity}`}`;
}

/** Returns the table of the threads that prepare batches. */
export function threadsTable({ threads }: Pipeline): TableSpec<PipelineThread> {
  return {
    title: "Threads that prepare batches",
    columns: [
      words("thread", ({ worker }) => worker === null ? "main" : `worker ${worker}`),
      counts("batches", ({ batches }) => batches),
      words("making", ({ make }) => spreadText(make), {
        heading: ["ms per batch", "avg (min-max)"],
        align: "right",
        sort: ({ make }) => make.avg,
      }),
      percentages("waiting", ({ waiting }) => waiting, { help: "Share of time spent waiting for a free slot" }),
    ],
    rows: threads,
  };
}

function perSample(stage: PipelineStage, worker: number | null): number | null {
  return stage.threads.find((thread) => thread.worker === worker)?.perSample ?? null;
}

function spreadText({ avg, min, max }: Spread): string {
  return `${formatNumber(avg)} (${formatNumber(min)}-${formatNumber(max)})`;
}

/** Formats milliseconds with more digits below 0.1, since stages of a sample take microseconds. */
export function small(ms: number): string {
  return ms >= 0.1 || ms === 0 ? formatNumber(ms) : ms.toFixed(ms < 0.00995 ? 5 : 4);
}
