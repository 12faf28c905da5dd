import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import { cachePoint } from "../cache/cache_point.ts";
import { cachedBytes } from "../cache/cached_source.ts";
import { allocateCache, type CachePlan, cacheUse } from "../cache/cache_plan.ts";
import type { CacheSettings } from "../cache/settings.ts";
import { describeDataset, samplePlan, samplesNoun } from "../describe.ts";
import { readerOf } from "../readers/readers.ts";
import { runsUserCode, type SamplePlan } from "../samples.ts";
import { type DataSpec, loadDatasets, prepareDataset } from "../sources/sources.ts";
import { batchesPerEpoch, type BatchPlan } from "./batch_plan.ts";
import { DirectLoader } from "./direct_loader.ts";
import type { Loader, WorkerChoice } from "./loader.ts";
import { type Filling, LoaderCache } from "./loader_cache.ts";
import { checkOptions, type LoaderInternals, type LoaderOptions } from "./options.ts";
import { chooseWorkers } from "./worker_choice.ts";
import { WorkerLoader } from "./worker_loader.ts";

/** Time limit in milliseconds for a worker to import the script, open the source and begin its first sample. */
const START_MS = 120_000;

/** Most threads that fill a cache with `numWorkers: "auto"`. */
const MAX_FILLERS = 8;

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
  const samples = samplePlan(spec, { split, layout, seed });
  const plan: BatchPlan = {
    ...samples,
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
  const open: OpenLoader = (plan, count, { choice = null, cache = null, startBatch = 0 }) =>
    count === 0 ? DirectLoader.open(plan, { startBatch, shouldStop, choice, cache }) : Promise.resolve(
      new WorkerLoader(plan, {
        numWorkers: count,
        ...{ prefetch, sharedMemory, startBatch, shouldStop, workerUrl, startMs, choice, cache },
      }),
    );
  if (spec.cache === null) return await openWith(open, plan, numWorkers, { startBatch });
  const cached = { ...plan, cache: openCache(spec.cache, samples) };
  const closing = new LoaderCache(cached.cache, null);
  try {
    const filling = spec.cache.fill ? await fill(open, cached, numWorkers, checked.onFill) : null;
    return await openWith(open, cached, numWorkers, { startBatch, cache: new LoaderCache(cached.cache, filling) });
  } catch (error) {
    closing.close();
    throw error;
  }
}

/** Opens a loader of a plan with a number of workers. */
type OpenLoader = (
  plan: BatchPlan,
  count: number,
  options: { readonly choice?: WorkerChoice; readonly cache?: LoaderCache; readonly startBatch?: number },
) => Promise<Loader>;

/** Opens the loader, after choosing the number of workers where it is `"auto"`. */
async function openWith(
  open: OpenLoader,
  plan: BatchPlan,
  numWorkers: number | "auto",
  options: { readonly cache?: LoaderCache; readonly startBatch: number },
): Promise<Loader> {
  if (numWorkers !== "auto") return await open(plan, numWorkers, options);
  // User code can crash or block its thread: a worker can be replaced, the main thread cannot
  const least = plan.onError === "skip" && runsUserCode(plan) ? 1 : 0;
  const { startBatch } = options;
  const choice = await chooseWorkers((count) => open(plan, count, { startBatch }), least);
  return await open(plan, choice.chosen, { ...options, choice });
}

/** Fills the cache of a plan with all samples, in order. */
async function fill(
  open: OpenLoader,
  plan: BatchPlan & { readonly cache: CachePlan },
  numWorkers: number | "auto",
  onFill?: (done: number, all: number) => void,
): Promise<Filling> {
  const all = { ...plan, shuffle: false, dropLast: false, part: { rank: 0, ranks: 1 } };
  const count = numWorkers === "auto" ? Math.min(MAX_FILLERS, navigator.hardwareConcurrency) : numWorkers;
  await using loader = await open(all, count, {});
  return await fillCache(plan.cache, loader, (done) => onFill?.(done, plan.source.length));
}

/**
 * Allocates the cache of a split's samples.
 *
 * @throws {InputError} if samples cannot be indexed, or the memory or the file cannot be allocated
 */
function openCache(settings: CacheSettings, plan: SamplePlan): CachePlan {
  if (plan.source.sequential) {
    throw new InputError(
      "data.cache: samples of this source arrive in one order and have no index; expected null, or a source with " +
        "get(index)",
    );
  }
  const { type } = cachePoint({ ...plan, cache: settings });
  return allocateCache(settings, plan.source.length, cachedBytes(plan.source, type));
}

/**
 * Makes batches of all samples, until the cache is full.
 *
 * @param loader loader of every sample in order
 * @param onBatch called with the samples in the cache
 * @throws {InputError} if a sample is invalid
 * @throws {InterruptedError} if the loader's `shouldStop` returns true
 */
async function fillCache(
  cache: CachePlan,
  loader: Loader,
  onBatch: (samples: number) => void = () => {},
): Promise<Filling> {
  const begin = performance.now();
  for (let i = 0; i < loader.batchesPerEpoch && !cacheUse(cache).full; i++) {
    (await loader.next()).release();
    onBatch(cacheUse(cache).samples);
  }
  const { warned, warnings } = loader.profile();
  return { ms: performance.now() - begin, warned, warnings };
}
