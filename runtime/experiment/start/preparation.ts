import { InterruptedError } from "../../core/errors.ts";
import { prepareDataset } from "../../data/prepare.ts";
import type { DataSpec } from "../../data/schema.ts";
import type { RunProgress } from "../run_progress.ts";

/** Makes data sets that have to be made first; false where it was interrupted. */
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
        onProgress: (fraction) => {
          if (interrupted()) stop.abort();
          const message = "drawing the stand-in for CIFAR-10";
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
