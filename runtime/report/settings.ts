import type { VariantConfig } from "../result/config.ts";

/** Settings of a variant that reports show; undefined where the result lacks one. */
export interface Settings {
  /** Name of the model. */
  model?: string | undefined;
  batchSize?: number | undefined;
  /** Micro-batches of a step; undefined for one. */
  accumulate?: number | undefined;
  steps?: number | undefined;
  /** Replaces steps. */
  epochs?: number | undefined;
  skip?: number | undefined;
  /** Rounds of steps; with epochs, each epoch is a block. */
  rounds?: number | undefined;
  /** Name of the samples: `images`. */
  unit?: string | undefined;
}

/** Reads the settings from a variant's configuration. */
export function settingsOf({ accumulate, model, epochs, data, loader, measure }: VariantConfig): Settings {
  const inEpochs = (epochs ?? null) !== null;
  return {
    model: model ?? undefined,
    batchSize: loader?.batchSize,
    accumulate: (accumulate ?? 1) > 1 ? accumulate : undefined,
    steps: inEpochs ? undefined : measure?.steps,
    epochs: epochs ?? undefined,
    skip: measure?.skip,
    rounds: inEpochs ? undefined : measure?.rounds,
    unit: data?.unit,
  };
}

/** Returns the distinct values of several variants as text: `32` or `16, 32`; null without any. */
export function each<T>(values: readonly (T | null | undefined)[], format: (value: T) => string): string | null {
  const known = [...new Set(values.filter((value) => value !== null && value !== undefined))];
  return known.length === 0 ? null : known.map(format).join(", ");
}
