import type { Pipeline, PipelineQueue } from "../result/pipeline.ts";
import type { Result } from "../result/schema.ts";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { createPage, type LookOptions, type Page, renderRows } from "./page.ts";
import { boundSentence } from "./pipeline_bound.ts";
import { type Loading, MOST_WORKERS, pipelinesTable, small, stagesTable, withPipeline } from "./pipeline_tables.ts";
import { nameInProse } from "./plain_text.ts";
import { BARS } from "./sparkline.ts";
import { workerQueueLines } from "./worker_queues.ts";
import { wrap } from "./wrap.ts";

/** Bars of a line that shows how full a queue was. */
const QUEUE_BARS = 60;

/** The input pipelines of a result's variants: the comparison, then each by its stages. Empty where there is none. */
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
  const { lines } = renderRows(page, stagesTable(pipeline));
  return [...head.map((line) => paint(line, "heading")), ...lines, ...sentences, ...verdict];
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
