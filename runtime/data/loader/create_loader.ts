import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import { describeDataset, sourcePlan } from "../describe.ts";
import { prepareDataset } from "../prepare.ts";
import type { DataSpec } from "../schema.ts";
import { batchesPerEpoch, type BatchPlan } from "./batch_maker.ts";
import { DirectLoader } from "./direct_loader.ts";
import type { Loader } from "./loader.ts";
import { checkOptions, type LoaderInternals, type LoaderOptions } from "./options.ts";
import { WorkerLoader } from "./worker_loader.ts";

/** No worker shows a sign of life for this long only when its source hangs: milliseconds of waiting. */
const STALL_MS = 120_000;

/**
 * Starts to make batches of a data set. Batches are the same, bit for bit, whatever `numWorkers` and `prefetch` are.
 *
 * @throws {InputError} if an option is invalid, the data set is not as it should be, or too small for one batch
 */
export async function createLoader(
  spec: DataSpec,
  options: LoaderOptions,
  internals: LoaderInternals = {},
): Promise<Loader> {
  checkOptions(options);
  const { input } = describeDataset(spec);
  if (options.layout === "nhwc" && input.shape.length !== 3) {
    throw new InputError(
      `loader.layout is nhwc, but samples are ${
        formatShape(input.shape)
      }; expected [channels, height, width], or "row"`,
    );
  }
  await prepareDataset(spec);
  const plan: BatchPlan = {
    source: sourcePlan(spec, options.split),
    transforms: spec.transforms,
    layout: options.layout,
    batchSize: options.batchSize,
    shuffle: options.shuffle,
    dropLast: options.dropLast,
    seed: options.seed,
  };
  if (batchesPerEpoch(plan) === 0) {
    throw new InputError(
      `loader.batchSize is ${plan.batchSize}, but the ${options.split} split has only ${plan.source.length} ` +
        `${spec.unit}; expected at most that many, or dropLast: false`,
    );
  }
  const { numWorkers, prefetch, startBatch = 0, shouldStop = () => false } = options;
  if (numWorkers === 0) return new DirectLoader(plan, startBatch, shouldStop);
  const { workerUrl = new URL("../worker.ts", import.meta.url), stallMs = STALL_MS } = internals;
  return new WorkerLoader(plan, { numWorkers, prefetch, startBatch, shouldStop, workerUrl, stallMs });
}
