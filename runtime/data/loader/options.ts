import { z } from "zod";
import type { Layout } from "../../core/layout.ts";
import { checked, nonNegativeInteger, positiveInteger } from "../checked.ts";

/** How batches are made of a data set. */
export interface LoaderOptions {
  /** Samples in a batch. */
  batchSize: number;
  /**
   * Threads that make batches ahead of time; 0 makes each on the main thread when it is asked for; `"auto"` measures
   * which number is worth it.
   */
  numWorkers: number | "auto";
  /** Batches that each worker may be ahead, as far as the ring's memory allows. */
  prefetch: number;
  /** A new order in each epoch, drawn from the seed. */
  shuffle: boolean;
  /** Leave the last, smaller batch of an epoch out; else it is filled up with its own samples. */
  dropLast: boolean;
  /** Hand batches over in shared memory; false: by structured clone, as messages. The default is true. */
  sharedMemory?: boolean;
  /** Where the source cannot be indexed, samples among which the next one is drawn; 1024 where it is left out. */
  shuffleBuffer?: number;
  /** What happens with a sample that cannot be made; `skip` puts another one in its place. The default is `fail`. */
  onError?: "fail" | "skip";
  /** The longest time that a sample may take: milliseconds; 120,000 where it is left out. */
  timeout?: number;
  seed: number;
  split: "train" | "test";
  /** The order of a batch's input: `nhwc` for samples `[channels, height, width]`, else `row`. */
  layout: Layout;
  /** The global index of the first batch. */
  startBatch?: number;
  /** Looked at while the loader waits: true ends the wait with an InterruptedError. */
  shouldStop?: () => boolean;
}

/** Options for tests only, which no scenario can reach. */
export interface LoaderInternals {
  /** Another entry module for the workers. */
  readonly workerUrl?: URL;
  /** Waiting time for a worker's first sample after which the loader gives up: milliseconds. */
  readonly startMs?: number;
}

export const DEFAULT_SHUFFLE_BUFFER = 1024;

/** Milliseconds. */
export const DEFAULT_TIMEOUT = 120_000;

const NUM_WORKERS = 'expected a whole number from 0 to 256, or "auto"';

/** Also for scenarios. */
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
  shouldStop: z.custom<() => boolean>((value) => typeof value === "function", { error: "expected a function" })
    .optional(),
});

/**
 * @throws {InputError} if an option is invalid, naming it
 */
export function checkOptions(options: LoaderOptions): CheckedOptions {
  return checked(optionsSchema, options, "loader");
}
