import type { Pipeline } from "../result/pipeline.ts";
import { formatNumber, formatPercent } from "./format.ts";
import { sparkline } from "./sparkline.ts";

/** Bars of a line of queue depths. */
const BARS = 40;

/**
 * Returns the number of finished batches that each worker had waiting. The stages of a thread pass samples on directly,
 * so its finished batches are its only queue.
 *
 * @param most largest number of threads that are shown individually
 */
export function workerQueueLines({ threads }: Pipeline, most: number): string[] {
  const known = threads.filter(({ ready }) => ready !== undefined && ready.length > 0);
  if (known.length === 0 || known.length > most) return [];
  const lines = known.map(({ worker, ready }) => {
    const depths = ready!;
    const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
    const empty = depths.filter((depth) => depth === 0).length / depths.length;
    const over = depths.length < 2 ? "" : `  ${sparkline(depths, BARS, 0)}`;
    const name = `worker ${worker}`.padEnd(10);
    return `  ${name} ${formatNumber(mean).padStart(5)} batches, empty at ${formatPercent(empty).padStart(3)} %${over}`;
  });
  return ["batches ready in each worker, at the start of the steps:", ...lines];
}
