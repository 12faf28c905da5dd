import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import { describeDataset, samplePlan, samplesNoun } from "../describe.ts";
import { readerOf } from "../readers/readers.ts";
import { type DataSpec, loadDatasets, prepareDataset } from "../sources/sources.ts";
import { batchesPerEpoch, type BatchPlan, runsUserCode } from "./batch_plan.ts";
import { DirectLoader } from "./direct_loader.ts";
import type { Loader, WorkerChoice } from "./loader.ts";
import { checkOptions, type LoaderInternals, type LoaderOptions } from "./options.ts";
import { chooseWorkers } from "./worker_choice.ts";
import { WorkerLoader } from "./worker_loader.ts";

/** Time limit in milliseconds for a worker to import the script, open the source and begin its first sample. */
const START_MS = 120_000;

/** Minimum time limit in milliseconds to import modules and open the source, even if samples have less. */
const OPEN_MS = 10_000;

/**
 * Starts to make batches of a data set. Batches are bit-for-bit the same for any `numWorkers`, `prefetch` and
 * `sharedMemory`.
 *
 * @throws {InputError} if an option or the data set is invalid, or the data set is too small for one batch
 */
export async function createLoader(
  spec: DataSpec,
  options: LoaderOptions,
  internals: LoaderInternals = {},
): Promise<Loader> {
  const checked = checkOptions(options);
  await loadDatasets([spec]);
  const { input } = describeDataset(spec);
  if (options.layout === "nhwc" && (input?.shape.length !== 3 || input.dtype !== "f32")) {
    throw new InputError(
      `loader.layout is nhwc, but ${
        input === null ? "the model takes several inputs" : `samples are ${formatShape(input.shape)}`
      }; expected [channels, height, width] in f32, or "row"`,
    );
  }
  await prepareDataset(spec);
  const { numWorkers, prefetch, sharedMemory, startBatch = 0, shouldStop = () => false, split, layout, seed } = checked;
  const { batchSize, shuffle, shuffleBuffer, dropLast, onError, timeout } = checked;
  const { workerUrl = new URL(import.meta.resolve("../worker.ts")), startMs = START_MS, openMs = OPEN_MS } = internals;
  const plan: BatchPlan = {
    ...samplePlan(spec, { split, layout, seed }),
    ...{ batchSize, shuffle, shuffleBuffer, dropLast, onError, timeout },
    part: checked.part ?? { rank: 0, ranks: 1 },
    openTimeout: Math.max(timeout, openMs),
  };
  if (onError === "fail") readerOf(plan.source).check?.(plan.source);
  if (batchesPerEpoch(plan) === 0) {
    throw new InputError(
      `loader.batchSize is ${batchSize}, but the ${split} split has only ${plan.source.length} ` +
        `${samplesNoun(spec.unit)}; expected at most that many, or dropLast: false`,
    );
  }
  if (onError === "skip" && plan.source.sequential) {
    throw new InputError(
      'loader.onError is "skip", but samples of this source arrive in one order and cannot be replaced by others; ' +
        'expected "fail", or a source with get(index)',
    );
  }
  const open = (count: number, choice: WorkerChoice | null): Promise<Loader> =>
    count === 0 ? DirectLoader.open(plan, { startBatch, shouldStop, choice }) : Promise.resolve(
      new WorkerLoader(plan, {
        numWorkers: count,
        ...{ prefetch, sharedMemory, startBatch, shouldStop, workerUrl, startMs, choice },
      }),
    );
  if (numWorkers !== "auto") return await open(numWorkers, null);
  // User code can crash or block its thread: a worker can be replaced, the main thread cannot
  const least = onError === "skip" && runsUserCode(plan) ? 1 : 0;
  const choice = await chooseWorkers((count) => open(count, null), least);
  return await open(choice.chosen, choice);
}
