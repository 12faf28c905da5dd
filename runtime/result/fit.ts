import type { Memory } from "./variant.ts";

/** Result of `tacho fit`, which opens no device. */
export interface FitResult {
  scenario: string;
  /** Adapter whose limits and kernels were assumed; null for a typical GPU. */
  adapter: string | null;
  /** Bytes that a variant may use. */
  budget: number;
  /** Origin of the budget. */
  source: string;
  variants: FitVariant[];
}

/** Batches of a variant that fit in the budget, if nothing else is on the device. */
export interface FitVariant {
  name: string;
  /** Samples of a step as the scenario is written. */
  samples: number;
  /** Bytes as the scenario is written; null if the adapter refuses it. */
  peak: number | null;
  /** Bytes with a single sample, without sinks and accumulation; null if it cannot be planned. */
  smallest: number | null;
  /** The settings as written, then with recomputation, accumulation and both, as far as they apply. */
  options: FitOption[];
  /** Message if the variant cannot be planned at all. */
  error: string | null;
}

/** Largest batch with some settings changed. */
export interface FitOption {
  /** Settings that are not as written, and their values. */
  changes: { path: "recompute" | "accumulate"; to: string | number }[];
  /** Largest `loader.batchSize`; 0 if not even one sample fits. */
  batchSize: number;
  /** Micro-batches of a step. */
  accumulate: number;
  /** Planned memory of the largest batch; null for 0. */
  memory: Memory | null;
  /** Floating-point operations per sample relative to the settings as written; null for a batch of 0. */
  work: number | null;
  /** Bound on the batch: the budget, limits of the adapter, or the number of samples. */
  bound: "memory" | "adapter" | "data";
  /** Message of the adapter's limit; null for other bounds. */
  refused: string | null;
  /** Settings with which a step has the samples of the scenario as written; null if they do not allow it. */
  wanted: { batchSize: number; accumulate: number } | null;
}
