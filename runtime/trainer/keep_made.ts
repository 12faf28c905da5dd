import type { Loader } from "../data/loader/loader.ts";
import { batchSpans } from "./feed/batch_spans.ts";
import type { Recorder } from "../record/recorder.ts";

/** Adds the batches to the trace that workers made during the profiled steps and that no step has taken. Drops them. */
export async function keepMade(loader: Loader, recorder: Recorder): Promise<void> {
  if (loader.slots === null || !recorder.keeping) return;
  const end = performance.now();
  for (let ready = loader.queueDepth(); ready > 0; ready--) {
    const batch = await loader.next();
    const { making, inside } = batchSpans(batch, end, end);
    batch.release();
    if (making.start >= end) continue;
    recorder.keep(making);
    for (const span of inside) recorder.keepDetail(span);
  }
}
