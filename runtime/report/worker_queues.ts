import type { Pipeline } from "../result/pipeline.ts";
import { formatNumber, formatPercent } from "./format.ts";
import { sparkline } from "./sparkline.ts";

/** Bars of a line that shows a queue over the steps. */
const BARS = 40;

/**
 * What each worker had made ahead. The stages of a thread hand a sample on at once, so that there is no queue between
 * them: what it has made and nobody has taken is the only queue it has.
 *
 * @param most threads that are shown one by one
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
    return `  ${name} ${formatNumber(mean).padStart(5)} batches, none at ${formatPercent(empty).padStart(3)} %${over}`;
  });
  return ["made ahead by each worker, at the steps; within a thread stages follow at once, without a queue:", ...lines];
}
