import type { Pipeline, PipelineQueue } from "../result/pipeline.ts";
import type { Result } from "../result/schema.ts";
import { formatCount, formatCounted, formatNumber, formatPercent } from "./format.ts";
import { createPage, type LookOptions, type Page, renderRows } from "./page.ts";
import { boundSentence, cacheSentence, warningSentence } from "./pipeline_bound.ts";
import { type Loading, MAX_WORKERS, pipelinesTable, small, stagesTable, withPipeline } from "./pipeline_tables.ts";
import { nameInProse } from "./plain_text.ts";
import { BARS, sparkline } from "./sparkline.ts";
import { wrap } from "./wrap.ts";

/** Bars of a line of queue depths. */
const QUEUE_BARS = 60;

/** Renders the input pipelines of a result's variants: their comparison, then the stages of each. Empty without any. */
export function renderPipelines({ variants }: Result, look: LookOptions): string {
  const known = variants.flatMap(withPipeline);
  if (known.length === 0) return "";
  const page = createPage(look);
  const parts = [
    [page.paint("Input pipeline", "title"), ...renderRows(page, pipelinesTable({ variants })).lines],
    ...known.map((one) => describe(one, page)),
  ];
  return parts.map((lines) => lines.join("\n")).join("\n\n") + "\n";
}

function describe({ name, pipeline, queues }: Loading, page: Page): string[] {
  const { paint, width } = page;
  const sentences = [
    conversionSentence(pipeline),
    choiceSentence(pipeline),
    cacheSentence(pipeline),
    queueSentence("host queue", "ready in the loader", pipeline.queues.host),
    depthLine(queues.host, pipeline.queues.host),
    queueSentence("device queue", "waiting on the device", pipeline.queues.device),
    depthLine(queues.device, pipeline.queues.device),
    ...workerQueueLines(pipeline, MAX_WORKERS),
    threadSentence(pipeline),
    skipSentence(pipeline),
    warningSentence(pipeline),
  ].flatMap((sentence) => sentence === null ? [] : wrap(sentence, width));
  const verdict = wrap(boundSentence(pipeline), width)
    .map((line) => paint(line, pipeline.bound.boundsTraining ? "input" : "good"));
  const head = wrap(`${nameInProse(name)}: ${workersText(pipeline)}, ${formatCount(pipeline.batches)} batches`, width);
  const { lines } = renderRows(page, stagesTable(pipeline));
  return [...head.map((line) => paint(line, "heading")), ...lines, ...sentences, ...verdict];
}

function workersText({ numWorkers, sharedMemory }: Pipeline): string {
  if (numWorkers === 0) return "the main thread makes batches";
  return `${formatCounted(numWorkers, "worker")}, batches passed ${
    sharedMemory ? "in shared memory" : "by structured clone"
  }`;
}

function choiceSentence({ choice }: Pipeline): string | null {
  if (choice === null) return null;
  const measured = choice.measured.map(({ numWorkers, samplesPerSecond }) =>
    `${numWorkers}: ${formatNumber(samplesPerSecond)}`
  );
  return `number of workers chosen by measuring the loader, in samples/s: ${measured.join(", ")}; ` +
    `${choice.chosen} is the smallest number within 5 % of the fastest`;
}

function queueSentence(name: string, what: string, queue: PipelineQueue | null): string | null {
  if (queue === null) return null;
  const of = queue.capacity === null ? "" : ` of ${queue.capacity}`;
  const full = queue.full === null ? "" : `, full at ${formatPercent(queue.full)} %`;
  return `${name}: ${formatNumber(queue.depth.avg)}${of} batches ${what} on average; ` +
    `empty at ${formatPercent(queue.empty)} % of the steps${full}`;
}

/** Renders the depth of a queue over the steps, from empty to full. */
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

/** Describes the transforms that convert layouts or number types, and the cost of the passes that contain them. */
function conversionSentence({ stages }: Pipeline): string | null {
  const passes = stages.flatMap(({ name, perBatch, share }) => {
    const forms = / \((.* > .*)\)$/.exec(name)?.[1]?.split(" > ");
    return forms === undefined ? [] : [{ forms, perBatch: perBatch ?? 0, share: share ?? 0 }];
  });
  if (passes.length === 0) return null;
  const forms = passes.flatMap(({ forms }) => forms).filter((form, i, all) => form !== all[i - 1]);
  const returns = new Set(forms).size < forms.length ? ", some of them back and forth" : "";
  const sum = (part: "perBatch" | "share") => passes.reduce((total, pass) => total + pass[part], 0);
  return `conversions between layouts and number types: ${forms.length - 1}${returns}, in ` +
    `${passes.length === 1 ? "a pass that takes" : `${passes.length} passes that take`} ` +
    `${small(sum("perBatch"))} ms per batch, ${formatPercent(Math.min(1, sum("share")))} % of the preparation`;
}

function threadSentence({ threads }: Pipeline): string | null {
  const waits = threads.filter(({ waiting }) => waiting !== null);
  if (waits.length === 0) return null;
  const words = waits.map(({ worker, waiting }) => `worker ${worker} ${formatPercent(waiting!)} %`);
  return `time spent waiting for a free slot: ${words.join(", ")}`;
}

function skipSentence({ skipped, skipReasons }: Pipeline): string | null {
  if (skipped === 0) return null;
  const [first] = skipReasons;
  return `${formatCounted(skipped, "sample")} skipped and replaced${
    first === undefined ? "" : `; first error: ${first}`
  }`;
}

/** Bars of a line of queue depths of a worker. */
const WORKER_BARS = 40;

/**
 * Returns the number of finished batches that each worker had waiting. The stages of a thread pass samples on directly,
 * so its finished batches are its only queue.
 *
 * @param most largest number of threads that are shown individually
 */
function workerQueueLines({ threads }: Pipeline, most: number): string[] {
  const known = threads.filter(({ ready }) => ready !== undefined && ready.length > 0);
  if (known.length === 0 || known.length > most) return [];
  const lines = known.map(({ worker, ready }) => {
    const depths = ready!;
    const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
    const empty = depths.filter((depth) => depth === 0).length / depths.length;
    const over = depths.length < 2 ? "" : `  ${sparkline(depths, WORKER_BARS, 0)}`;
    const name = `worker ${worker}`.padEnd(10);
    return `  ${name} ${formatNumber(mean).padStart(5)} batches, empty at ${formatPercent(empty).padStart(3)} %${over}`;
  });
  return ["batches ready in each worker, at the start of the steps:", ...lines];
}
