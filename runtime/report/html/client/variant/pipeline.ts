/// <reference lib="dom" />
import type { Pipeline, PipelineStage, PipelineThread, Spread } from "../../../../result/pipeline.ts";
import { formatCount, MISSING } from "../../../format.ts";
import { notRun, type VariantContext } from "../context.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText } from "../numbers.ts";
import { facts, notes, type Section } from "../section.ts";
import { createTable } from "../table.ts";

/** Where the time of loading goes. */
export function pipelineSection({ variant, words }: VariantContext): Section {
  const base = { anchor: "pipeline", title: "Input pipeline" };
  const { pipeline } = variant;
  if (pipeline === null) {
    return { ...base, content: notRun(variant, variant.blocks.length) ?? "loading was not followed" };
  }
  const { numWorkers, sharedMemory, batches, samples, skipped, skipReasons } = pipeline;
  const by = numWorkers === 0
    ? "the main thread"
    : `${numWorkers} worker${numWorkers === 1 ? "" : "s"}, handing over ${
      sharedMemory ? "in shared memory" : "copies"
    }`;
  return {
    ...base,
    about: `${formatCount(samples)} samples in ${formatCount(batches)} batches, made by ${by}`,
    content: [
      words.pipeline === null ? null : el("p", {}, capital(words.pipeline)),
      stageTable(pipeline.stages),
      facts([
        ["reader cost", `${spread(pipeline.readerCost)} ms`],
        ["batch cost", `${spread(pipeline.batchCost)} ms`],
        ["samples/s", spread(pipeline.ips)],
      ]),
      pipeline.threads.length === 0 ? null : threadTable(pipeline.threads),
      notes([
        skipped === 0
          ? ""
          : `${formatCount(skipped)} samples were skipped: ${
            skipReasons.map((reason) => nameText(reason, 200)).join("; ")
          }`,
        choice(pipeline),
      ]),
    ],
  };
}

function capital(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${nameText(sentence, 1000).slice(1)}.`;
}

function spread({ avg, min, max }: Spread): string {
  return `${numberText(avg)} (${numberText(min)}–${numberText(max)})`;
}

function choice({ choice }: Pipeline): string {
  if (choice === null) return "";
  const tried = choice.measured.map(({ numWorkers, samplesPerSecond }) =>
    `${numWorkers}: ${numberText(samplesPerSecond)}`
  );
  return `${choice.chosen} workers were chosen; samples a second by workers: ${tried.join(", ")}`;
}

function stageTable(stages: readonly PipelineStage[]): HTMLElement {
  return createTable<PipelineStage>({
    caption: "Stages of the input pipeline",
    columns: [
      { title: "stage", align: "left", breakable: true, value: ({ name }) => name, show: ({ name }) => nameText(name) },
      { title: "kind", align: "left", value: ({ kind }) => kind === "handOver" ? "hand-over" : kind },
      { title: "a sample", unit: "ms", value: ({ perSample }) => perSample, show: ({ perSample }) => small(perSample) },
      { title: "a batch", unit: "ms", value: ({ perBatch }) => perBatch, show: ({ perBatch }) => small(perBatch) },
      {
        title: "share of making",
        value: ({ share }) => share,
        show: ({ share }) => {
          if (share === null) return null;
          const text = el("span", { class: "share" }, percentText(share));
          text.style.setProperty("--share", String(share));
          return text;
        },
      },
    ],
    rows: stages,
  }).element;
}

function threadTable(threads: readonly PipelineThread[]): HTMLElement {
  return createTable<PipelineThread>({
    caption: "Threads that make batches",
    columns: [
      { title: "thread", align: "left", value: ({ worker }) => worker === null ? "main" : `worker ${worker}` },
      { title: "batches", value: ({ batches }) => batches },
      { title: "make", unit: "ms a batch", value: ({ make }) => make.avg, show: ({ make }) => spread(make) },
      { title: "waiting for a slot", value: ({ waiting }) => waiting, show: ({ waiting }) => percentText(waiting) },
    ],
    rows: threads,
  }).element;
}

/** Stages can take far less than a hundredth of a millisecond. */
function small(value: number | null): string {
  if (value === null) return MISSING;
  return value > 0 && value < 0.1 ? value.toPrecision(2) : numberText(value);
}
