import { queueAfter } from "../../analysis/pipeline_queues.ts";
import type { Pipeline, PipelineQueue } from "../../result/pipeline.ts";
import type { HostWork, VariantResult } from "../../result/schema.ts";
import { fieldOf } from "../../record/copies.ts";
import { type Page, renderSection } from "../page.ts";
import { count, label, number } from "./mindinsight_columns.ts";

/** An operator of data preparation, whose output queue the next one reads. */
interface DataOperator {
  readonly id: number;
  readonly name: string;
  readonly workers: number | null;
  readonly ms: number | null;
  readonly queue: PipelineQueue | null;
  /** The operator that reads its output; null for the last one. */
  readonly parent: number | null;
}

/**
 * Renders the chain of operators that prepare data, the last one first, as MindData numbers them. Operators within a thread
 * call each other and have no queue between them.
 */
export function dataPreparation(page: Page, { pipeline }: VariantResult): string[] {
  return renderSection<DataOperator>(page, {
    title: "Data Preparation",
    columns: [
      label("op_id", ({ id }) => String(id), { align: "right" }),
      label("op_type", ({ name }) => name, { beside: 90 }),
      label("num_workers", ({ workers }) => workers === null ? null : String(workers), { align: "right" }),
      number("op_time", "op_time(ms)", ({ ms }) => ms),
      label("output_queue_size", ({ queue }) => queue?.capacity == null ? null : String(queue.capacity), {
        align: "right",
      }),
      number("output_queue_average_size", "output_queue_average_size", ({ queue }) => queue?.depth.avg ?? null, 2),
      number("output_queue_usage_rate", "output_queue_usage_rate", ({ queue }) => {
        return queue?.capacity == null || queue.capacity === 0 ? null : queue.depth.avg / queue.capacity;
      }, 4),
      label("parent_id", ({ parent }) => parent === null ? "-" : String(parent), { align: "right" }),
    ],
    rows: pipeline === null ? [] : operatorsOf(pipeline),
  });
}

function operatorsOf(pipeline: Pipeline): DataOperator[] {
  const { stages, threads, numWorkers } = pipeline;
  return stages.map((stage, i) => {
    const id = stages.length - 1 - i;
    const queue = queueAfter(pipeline, i)?.queue ?? null;
    const workers = stage.threads.length === 0 ? null : numWorkers === 0 ? 0 : threads.length;
    return { id, name: stage.name, workers, ms: stage.perBatch, queue, parent: id === 0 ? null : id - 1 };
  }).reverse();
}

/** Renders the work of the host as MindInsight's operators of the AI CPU. */
export function hostOperators(page: Page, { profile, blocks }: VariantResult): string[] {
  const works = (profile?.host ?? []).filter(({ name }) => fieldOf(name) === null);
  const wall = blocks.reduce((sum, block) => sum + block.wall, 0);
  return renderSection<[number, HostWork]>(page, {
    title: "Operator Statistics of the Host (AI CPU)",
    columns: [
      label("serial_number", ([number]) => String(number), { align: "right" }),
      label("op_type", ([, { name }]) => name.replaceAll(" ", "_"), { beside: 60 }),
      label("op_occurrences", ([, { calls }]) => count(calls), { align: "right" }),
      number("total_time", "total_time(ms)", ([, { total }]) => total),
      number("avg_time", "avg_time(ms)", ([, { mean }]) => mean),
      number("total_proportion", "total_proportion", ([, { total }]) => wall > 0 ? total / wall : null, 6),
    ],
    rows: works.map((work, i): [number, HostWork] => [i + 1, work]),
  });
}
