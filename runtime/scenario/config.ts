import type { Model } from "../nn/multi_input.ts";
import type { Settings } from "./schema.ts";

/** Returns the batches of a step: the micro-batches of gradient accumulation, in training. */
export function batchesPerStep({ accumulate, model, mode, optimizer }: Config): number {
  return model !== null && mode === "train" && optimizer !== null ? accumulate : 1;
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
