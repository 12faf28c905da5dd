import { z } from "zod";
import type { Layout } from "../../core/layout.ts";
import { checked, nonNegativeInteger, positiveInteger } from "../checked.ts";

/** One rank's part of the batches of several loaders. */
export interface BatchPart {
  readonly rank: number;
  readonly ranks: number;
}

/** Options of a loader. */
export interface LoaderOptions {
  /** Samples in a batch. */
  batchSize: number;
  /**
   * Threads that make batches ahead of time. 0 makes each batch on the main thread on request; `"auto"` measures which
   * number pays off.
   */
  numWorkers: number | "auto";
  /** Batches that each worker may be ahead, within the ring's memory. */
  prefetch: number;
  /** Draw a new order for each epoch from the seed. */
  shuffle: boolean;
  /** Leave out the last, smaller batch of an epoch; false fills it up with its own samples. */
  dropLast: boolean;
  /** Pass batches in shared memory (the default); false sends them as messages, by structured clone. */
  sharedMemory?: boolean;
  /** Samples in the shuffle buffer of a source that cannot be indexed; 1024 by default. */
  shuffleBuffer?: number;
  /** Reaction to an invalid sample: `fail` (the default), or `skip` to replace it by another. */
  onError?: "fail" | "skip";
  /** Time limit of a sample in milliseconds; 120,000 by default. */
  timeout?: number;
  seed: number;
  split: "train" | "test";
  /** Memory order of a batch's input: `nhwc` for samples `[channels, height, width]`, else `row`. */
  layout: Layout;
  /** Global index of the first batch. */
  startBatch?: number;
  /** Part of each global batch of `batchSize * ranks` samples that this loader makes. Default: all of it. */
  part?: BatchPart;
  /** Polled while the loader waits; true ends the wait with an InterruptedError. */
  shouldStop?: () => boolean;
  /** Called while the cache is filled, with the samples in it and in the split. */
  onFill?: (done: number, all: number) => void;
}

/** Options for tests, not available to scenarios. */
export interface LoaderInternals {
  /** Entry module of the workers. */
  readonly workerUrl?: URL;
  /** Time limit for a worker's first sample in milliseconds. */
  readonly startMs?: number;
  /** Minimum time limit to import modules and open the source in milliseconds; a larger `timeout` takes precedence. */
  readonly openMs?: number;
}

export const DEFAULT_SHUFFLE_BUFFER = 1024;

/** Default time limit of a sample in milliseconds. */
export const DEFAULT_TIMEOUT = 120_000;

const NUM_WORKERS = 'expected a whole number from 0 to 256, or "auto"';

/** Schema of `numWorkers`, also for scenarios. */
export const numWorkersSchema = z.union([
  z.int({ error: NUM_WORKERS }).min(0, { error: NUM_WORKERS }).max(256, { error: NUM_WORKERS }),
  z.literal("auto", { error: NUM_WORKERS }),
], { error: NUM_WORKERS });

export const onErrorSchema = z.enum(["fail", "skip"], { error: 'expected "fail" or "skip"' });

/** Options with every default filled in. */
export type CheckedOptions = z.infer<typeof optionsSchema>;

const optionsSchema = z.strictObject({
  batchSize: positiveInteger,
  numWorkers: numWorkersSchema,
  prefetch: positiveInteger,
  shuffle: z.boolean({ error: "expected true or false" }),
  dropLast: z.boolean({ error: "expected true or false" }),
  sharedMemory: z.boolean({ error: "expected true or false" }).default(true),
  shuffleBuffer: positiveInteger.default(DEFAULT_SHUFFLE_BUFFER),
  onError: onErrorSchema.default("fail"),
  timeout: positiveInteger.default(DEFAULT_TIMEOUT),
  seed: z.int({ error: "expected a whole number" }),
  split: z.enum(["train", "test"], { error: 'expected "train" or "test"' }),
  layout: z.enum(["row", "nhwc"], { error: 'expected "row" or "nhwc"' }),
  startBatch: nonNegativeInteger.optional(),
  part: z.strictObject({ rank: nonNegativeInteger, ranks: positiveInteger }).optional(),
  shouldStop: z.custom<() => boolean>((value) => typeof value === "function", { error: "expected a function" })
    .optional(),
  onFill: z.custom<(done: number, all: number) => void>((value) => typeof value === "function", {
    error: "expected a function",
  }).optional(),
});

/**
 * Fills in defaults.
 *
 * @throws {InputError} if an option is invalid
 */
export function checkOptions(options: LoaderOptions): CheckedOptions {
  return checked(optionsSchema, options, "loader");
}
