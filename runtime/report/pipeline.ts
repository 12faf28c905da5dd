import type { Pipeline, PipelineQueue, PipelineStage } from "../result/pipeline.ts";
import type { Result } from "../result/schema.ts";
import type { VariantResult } from "../result/variant.ts";
import { createPaint, type Paint } from "./color.ts";
import { formatCount, formatNumber, formatPercent, MISSING } from "./format.ts";
import { boundSentence } from "./pipeline_bound.ts";
import { nameInProse } from "./plain_text.ts";
import { BARS } from "./sparkline.ts";
import { type Cell, type Column, renderTable, type TableOptions } from "./table.ts";
import { workerQueueLines } from "./worker_queues.ts";
import { wrap } from "./wrap.ts";

/** Prose is not set wider than this, nor a table that goes to no terminal. */
const PROSE_WIDTH = 100;

/** Bars of a line that shows how full a queue was. */
const QUEUE_BARS = 60;

/** More workers than this are not shown one by one. */
const MOST_WORKERS = 8;

export interface PipelineOptions {
  /** Columns of the terminal; null when the output is no terminal and nothing has to be left out. */
  readonly columns: number | null;
  readonly color: boolean;
}

/** The input pipelines of a result's variants: the comparison, then each by its stages. Empty where there is none. */
export function renderPipelines({ variants }: Result, { columns, color }: PipelineOptions): string {
  const known = variants.flatMap(({ name, pipeline, metrics, queues }) =>
    pipeline === null ? [] : [{ name, pipeline, queues, unit: metrics.ips?.unit ?? "samples/s" }]
  );
  if (known.length === 0) return "";
  const paint = createPaint(color);
  const width = Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH);
  const table = { width: columns ?? PROSE_WIDTH, drop: columns !== null, paint };
  const parts = known.map((one) => describe(one, { width, paint, table }));
  return [[paint("Input pipeline", "title"), ...compare(known, table)], ...parts]
    .map((lines) => lines.join("\n")).join("\n\n") + "\n";
}

interface Named {
  readonly name: string;
  readonly pipeline: Pipeline;
  /** How full each queue was at every measured step. */
  readonly queues: VariantResult["queues"];
  readonly unit: string;
}

/** What Paddle's loop prints, a row for each variant. */
function compare(known: readonly Named[], options: TableOptions): string[] {
  const unit = known[0]!.unit;
  const columns: Column[] = [
    { name: "variant", heading: ["variant"], align: "left", breakAfter: ",", cut: true },
    { name: "workers", heading: ["workers"], align: "right" },
    { name: "reader cost", heading: ["reader cost ms", "avg (min-max)"], align: "right" },
    { name: "batch cost", heading: ["batch cost ms", "avg (min-max)"], align: "right" },
    { name: "reader share", heading: ["reader /", "batch %"], align: "right" },
    { name: unit, heading: [unit, "avg (min-max)"], align: "right" },
    { name: "host queue empty", heading: ["host queue", "empty %"], align: "right" },
    { name: "device queue empty", heading: ["device queue", "empty %"], align: "right", dropFirst: 1 },
  ];
  const rows = known.map(({ name, pipeline }) => [
    { text: name },
    { text: pipeline.choice === null ? String(pipeline.numWorkers) : `auto ${pipeline.numWorkers}` },
    { text: spreadText(pipeline.readerCost) },
    { text: spreadText(pipeline.batchCost) },
    { text: percent(pipeline.bound.readerShare) },
    { text: spreadText(pipeline.ips) },
    { text: percent(pipeline.queues.host?.empty ?? null) },
    { text: percent(pipeline.queues.device?.empty ?? null) },
  ]);
  return renderTable(columns, rows, options).lines;
}

function describe(
  { name, pipeline, queues }: Named,
  { width, paint, table }: { width: number; paint: Paint; table: TableOptions },
): string[] {
  const sentences = [
    conversionSentence(pipeline),
    choiceSentence(pipeline),
    queueSentence("host queue", "ready in the loader", pipeline.queues.host),
    depthLine(queues.host, pipeline.queues.host),
    queueSentence("device queue", "waiting on the device", pipeline.queues.device),
    depthLine(queues.device, pipeline.queues.device),
    ...workerQueueLines(pipeline, MOST_WORKERS),
    threadSentence(pipeline),
    skipSentence(pipeline),
  ].flatMap((sentence) => sentence === null ? [] : wrap(sentence, width));
  const verdict = wrap(boundSentence(pipeline), width)
    .map((line) => paint(line, pipeline.bound.boundsTraining ? "input" : "good"));
  const head = wrap(`${nameInProse(name)}: ${workersText(pipeline)}, ${formatCount(pipeline.batches)} batches`, width);
  return [...head.map((line) => paint(line, "heading")), ...stageTable(pipeline, table), ...sentences, ...verdict];
}

/** The stages in their order; what each thread takes, as far as there are not too many. */
function stageTable({ stages, threads }: Pipeline, options: TableOptions): string[] {
  const shown = threads.length > 1 && threads.length <= MOST_WORKERS ? threads : [];
  const columns: Column[] = [
    { name: "stage", heading: ["stage"], align: "left", breakAfter: "+", cut: true },
    { name: "ms a sample", heading: ["ms a", "sample"], align: "right" },
    { name: "ms a batch", heading: ["ms a", "batch"], align: "right" },
    { name: "share", heading: ["share", "%"], align: "right" },
    ...shown.map(({ worker }): Column => ({
      name: `worker ${worker}`,
      heading: [`worker ${worker}`, "ms a sample"],
      align: "right",
      dropFirst: MOST_WORKERS - (worker ?? 0),
    })),
  ];
  const rows = stages.map((stage): Cell[] => [
    { text: stage.name },
    { text: small(stage.perSample) },
    { text: small(stage.perBatch) },
    { text: percent(stage.share) },
    ...shown.map(({ worker }) => ({ text: small(perSample(stage, worker)) })),
  ]);
  return renderTable(columns, rows, options).lines;
}

function perSample(stage: PipelineStage, worker: number | null): number | null {
  return stage.threads.find((thread) => thread.worker === worker)?.perSample ?? null;
}

function workersText({ numWorkers, sharedMemory }: Pipeline): string {
  if (numWorkers === 0) return "the main thread makes batches";
  const way = sharedMemory ? "in shared memory" : "by structured clone";
  return `${numWorkers} ${numWorkers === 1 ? "worker" : "workers"}, handing over ${way}`;
}

function choiceSentence({ choice }: Pipeline): string | null {
  if (choice === null) return null;
  const measured = choice.measured.map(({ numWorkers, samplesPerSecond }) =>
    `${numWorkers}: ${formatNumber(samplesPerSecond)}`
  );
  return `workers chosen by measuring the loader alone, samples/s by their number: ${measured.join(", ")}; ` +
    `${choice.chosen} is the fewest within 5 % of the fastest`;
}

function queueSentence(name: string, what: string, queue: PipelineQueue | null): string | null {
  if (queue === null) return null;
  const of = queue.capacity === null ? "" : ` of ${queue.capacity}`;
  const full = queue.full === null ? "" : `, full at ${formatPercent(queue.full)} %`;
  return `${name}: on average ${formatNumber(queue.depth.avg)}${of} batches ${what}; ` +
    `empty at ${formatPercent(queue.empty)} % of the steps${full}`;
}

/** How full a queue was over time, from empty to full. */
function depthLine(depths: readonly number[] | undefined, queue: PipelineQueue | null): string | null {
  if (depths === undefined || depths.length < 2 || queue?.capacity == null) return null;
  const count = Math.min(QUEUE_BARS, depths.length);
  const means = Array.from({ length: count }, (_, i) => {
    const part = depths.slice(Math.floor(i * depths.length / count), Math.floor((i + 1) * depths.length / count));
    return part.reduce((sum, depth) => sum + depth, 0) / part.length / queue.capacity!;
  });
  return `over the steps, from empty to full: ${
    means.map((share) => BARS[Math.round(share * (BARS.length - 1))] ?? BARS.at(-1)).join("")
  }`;
}

/** Transforms that change how values are kept, and what the passes that hold them take. */
function conversionSentence({ stages }: Pipeline): string | null {
  const passes = stages.flatMap(({ name, perBatch, share }) => {
    const forms = / \((.* > .*)\)$/.exec(name)?.[1]?.split(" > ");
    return forms === undefined ? [] : [{ forms, perBatch: perBatch ?? 0, share: share ?? 0 }];
  });
  if (passes.length === 0) return null;
  const forms = passes.flatMap(({ forms }) => forms).filter((form, i, all) => form !== all[i - 1]);
  const returns = new Set(forms).size < forms.length ? ", some of them there and back" : "";
  const sum = (part: "perBatch" | "share") => passes.reduce((total, pass) => total + pass[part], 0);
  return `conversions between layouts and number types: ${forms.length - 1}${returns}, in ` +
    `${passes.length === 1 ? "a pass that takes" : `${passes.length} passes that take`} ` +
    `${small(sum("perBatch"))} ms a batch, ${formatPercent(Math.min(1, sum("share")))} % of the making`;
}

function threadSentence({ threads }: Pipeline): string | null {
  const waits = threads.filter(({ waiting }) => waiting !== null);
  if (waits.length === 0) return null;
  const words = waits.map(({ worker, waiting }) => `worker ${worker} ${formatPercent(waiting!)} %`);
  return `waiting for a free slot: ${words.join(", ")} of the time`;
}

function skipSentence({ skipped, skipReasons }: Pipeline): string | null {
  if (skipped === 0) return null;
  const [first] = skipReasons;
  const many = skipped === 1 ? "1 sample was" : `${formatCount(skipped)} samples were`;
  return `${many} skipped, others took their places${first === undefined ? "" : `; the first: ${first}`}`;
}

function spreadText({ avg, min, max }: { avg: number; min: number; max: number }): string {
  return `${formatNumber(avg)} (${formatNumber(min)}-${formatNumber(max)})`;
}

function percent(ratio: number | null): string {
  return ratio === null ? MISSING : formatPercent(ratio);
}

/** Milliseconds, of which stages of a sample take thousandths. */
function small(ms: number | null): string {
  if (ms === null) return MISSING;
  return ms >= 0.1 || ms === 0 ? formatNumber(ms) : ms.toFixed(ms < 0.00995 ? 5 : 4);
}
