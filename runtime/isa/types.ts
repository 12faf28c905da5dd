/**
 * Kernels to estimate, and the estimate.
 *
 * @module
 */
import type { Advice } from "./advice/rule.ts";
import type { Figures } from "./figures.ts";

/** A kernel, or a module with several. */
export interface KernelSource {
  readonly name: string;
  readonly wgsl: string;
  /** Number of dispatches in a step; null outside of a plan. */
  readonly dispatches: number | null;
  /** Values of override constants. */
  readonly overrides?: Readonly<Record<string, number | boolean>>;
}

/** What the compiler made of one entry point for one GPU, or the reason why there is nothing. */
export interface KernelEstimate {
  readonly kernel: string;
  readonly gpu: string;
  readonly dispatches: number | null;
  readonly figures: Figures | null;
  /** What to change, the most costly first. */
  readonly advice: readonly Advice[];
  readonly error: string | null;
}

/** Estimates of kernels on GPUs that are not here. */
export interface IsaEstimate {
  /** Front end, and driver with its version. Null if nothing was compiled. */
  readonly frontEnd: string | null;
  readonly compiler: string | null;
  readonly gpus: readonly string[];
  readonly rows: readonly KernelEstimate[];
  /** What was changed before compiling: directives that were removed. */
  readonly notes: readonly string[];
}
