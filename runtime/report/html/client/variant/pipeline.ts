/// <reference lib="dom" />
import type { Pipeline } from "../../../../result/pipeline.ts";
import { formatCount, formatCounted } from "../../../format.ts";
import { boundSentence, cacheSentence, warningSentence } from "../../../pipeline_bound.ts";
import { pipelinesTable, stagesTable, threadsTable } from "../../../pipeline_tables.ts";
import { notRun, type VariantContext } from "../context.ts";
import { el, shareBar } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText } from "../numbers.ts";
import { type Content, notes } from "../section.ts";
import { createTable } from "../table.ts";

/** Returns the section of the input pipeline. */
export function pipelineSection({ overview, variant }: VariantContext): Content {
  const { pipeline } = variant;
  if (pipeline === null) {
    return notRun({ overview, variant }, variant.blocks.length) ?? "the input pipeline was not recorded";
  }
  const { numWorkers, sharedMemory, batches, samples, skipped, skipReasons, threads } = pipeline;
  const by = numWorkers === 0
    ? "the main thread"
    : `${formatCounted(numWorkers, "worker")}, passed ${sharedMemory ? "in shared memory" : "by structured clone"}`;
  return {
    about: `${formatCount(samples)} samples in ${formatCount(batches)} batches, prepared by ${by}`,
    content: [
      el("p", {}, capital(boundSentence(pipeline))),
      createTable(stagesTable(pipeline), { cells: { share: ({ share }, text) => shareBar(share, text) } }).element,
      createTable(pipelinesTable({ variants: [variant] }), { omit: ["variant"] }).element,
      threads.length === 0 ? null : createTable(threadsTable(pipeline)).element,
      notes([
        skipped === 0
          ? ""
          : `${formatCounted(skipped, "sample")} skipped: ${
            skipReasons.map((reason) => nameText(reason, 200)).join("; ")
          }`,
        warningSentence(pipeline) ?? "",
        choice(pipeline),
        cacheSentence(pipeline) ?? "",
      ]),
    ],
  };
}

function capital(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${nameText(sentence, 1000).slice(1)}.`;
}

function choice({ choice }: Pipeline): string {
  if (choice === null) return "";
  const tried = choice.measured.map(({ numWorkers, samplesPerSecond }) =>
    `${numWorkers}: ${numberText(samplesPerSecond)}`
  );
  return `${formatCounted(choice.chosen, "worker")} chosen; samples/s by number of workers: ${tried.join(", ")}`;
}
