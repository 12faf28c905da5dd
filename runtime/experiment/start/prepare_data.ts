import { InterruptedError } from "../../core/errors.ts";
import { type DataSpec, prepareDataset } from "../../data/sources/sources.ts";
import type { RunProgress } from "../run_progress.ts";

/** Creates data sets that do not exist yet. Returns false if interrupted. */
export async function prepareData(
  specs: readonly DataSpec[],
  progress: RunProgress,
  interrupted: () => boolean,
): Promise<boolean> {
  const stop = new AbortController();
  try {
    for (const spec of specs) {
      await prepareDataset(spec, {
        signal: stop.signal,
        onProgress: (fraction, message) => {
          if (interrupted()) stop.abort();
          progress.at(null, "data", Math.round(fraction * 100), 100, { message });
        },
      });
    }
    return true;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return false;
  }
}
