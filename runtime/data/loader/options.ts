import { z } from "zod";
import type { Layout } from "../../core/layout.ts";
import { checked, nonNegativeInteger, positiveInteger } from "../checked.ts";

/** How batches are made of a data set. */
export interface LoaderOptions {
  /** Samples in a batch. */
  batchSize: number;
  /** Threads that make batches ahead of time; 0 makes each on the main thread when it is asked for. */
  numWorkers: number;
  /** Batches that each worker may be ahead, as far as the ring's memory allows. */
  prefetch: number;
  /** A new order in each epoch, drawn from the seed. */
  shuffle: boolean;
  /** Leave the last, smaller batch of an epoch out; else it is filled up with its own samples. */
  dropLast: boolean;
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
  /** Waiting time without a sign of life from any worker after which the loader gives up: milliseconds. */
  readonly stallMs?: number;
}

const optionsSchema = z.strictObject({
  batchSize: positiveInteger,
  numWorkers: nonNegativeInteger.max(256, { error: "expected at most 256" }),
  prefetch: positiveInteger,
  shuffle: z.boolean({ error: "expected true or false" }),
  dropLast: z.boolean({ error: "expected true or false" }),
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
export function checkOptions(options: LoaderOptions): void {
  checked(optionsSchema, options, "loader");
}
