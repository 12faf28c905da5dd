import type { Batch } from "../../data/loader/loader.ts";
import type { Lap } from "../../data/loader/lap_log.ts";
import type { Span } from "../../record/timeline.ts";

/**
 * Returns the span of a batch on the thread that made it and, if the loader traced them, the spans of its samples and
 * their stages. Times are on the main thread's `performance.now()` axis.
 *
 * @param asked time at which the batch was requested
 * @param taken time at which it arrived
 */
export function batchSpans(batch: Batch, asked: number, taken: number): { making: Span; inside: readonly Span[] } {
  const making = makingOf(batch, asked, taken);
  const { laps = [], names } = batch.stages;
  if (laps.length === 0) return { making, inside: [] };
  const { track } = making;
  const began = batch.beganAt - performance.timeOrigin;
  const onAxis = (time: number) => Math.min(making.end, Math.max(making.start, began + time));
  const span = (name: string, { start, end }: Pick<Lap, "start" | "end">): Span => ({
    track,
    name,
    start: onAxis(start),
    end: onAxis(end),
  });
  const inside = laps.map((lap) => span(lap.stage === null ? `sample ${lap.sample}` : names[lap.stage]!, lap));
  const samples = laps.filter(({ sample }) => sample !== null);
  const rest = batch.size - samples.length;
  if (rest > 0) {
    // The loader traces a limited number of samples; the last lap is the batch's end
    const from = Math.max(0, ...samples.map(({ end }) => end));
    inside.push(span(`${rest} more samples`, { start: from, end: Math.max(from, laps.at(-1)!.start) }));
  }
  return { making, inside };
}

/** Returns the span of the whole batch, with the mean times of its timed samples as arguments. */
function makingOf(batch: Batch, asked: number, taken: number): Span {
  const { timed, names, ms, slotWaitMs } = batch.stages;
  const began = batch.beganAt - performance.timeOrigin;
  const end = began + batch.workMs;
  const args: Record<string, string | number> = { samples: batch.count, "samples timed": timed };
  if (timed > 0) names.forEach((name, i) => args[`${name}: ms per sample`] = Number((ms[i]! / timed).toFixed(6)));
  if (batch.worker !== null) args["waited for a free slot: ms"] = Number(slotWaitMs.toFixed(3));
  const name = `batch ${batch.index}`;
  if (batch.worker !== null) return { track: `worker ${batch.worker}`, name, start: began, end, args };
  // Times since the epoch are rounded to 0.2 us; on the main thread, a batch is made after it is requested
  return { track: "main", name, start: Math.max(began, asked), end: Math.min(end, taken), args };
}
