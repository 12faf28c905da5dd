import type { Model } from "../nn/multi_input.ts";
import type { Settings } from "./schema.ts";

/** Settings on which the batches of a step depend; an earlier version of a kept run may lack some. */
type BatchSettings = { readonly [key in "accumulate" | "model" | "mode" | "optimizer"]?: unknown };

/** Returns the batches of a step: the micro-batches of gradient accumulation, in training. */
export function batchesPerStep({ accumulate, model, mode, optimizer }: BatchSettings): number {
  return model != null && mode === "train" && optimizer != null ? Number(accumulate ?? 1) : 1;
}

/** Returns the samples of a step. */
export function samplesPerStep(config: Config): number {
  return config.loader.batchSize * batchesPerStep(config);
}

/** Checked settings of a variant, with all defaults filled in. */
export interface Config extends Settings {
  readonly params: Readonly<Record<string, unknown>>;
  /** Model to run; null runs the loader alone. */
  readonly model: Model | null;
}
