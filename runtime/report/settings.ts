import type { VariantConfig } from "../result/config.ts";

/** The settings of a variant that reports name, as far as its result has them. */
export interface Settings {
  /** What the model is called. */
  model?: string | undefined;
  batchSize?: number | undefined;
  steps?: number | undefined;
  /** In place of steps. */
  epochs?: number | undefined;
  skip?: number | undefined;
  /** Of steps; an epoch is a block by itself. */
  rounds?: number | undefined;
  /** What samples are called: `images`. */
  unit?: string | undefined;
}

/** Returns the settings that reports name. */
export function settingsOf({ model, epochs, data, loader, measure }: VariantConfig): Settings {
  const inEpochs = (epochs ?? null) !== null;
  return {
    model: model ?? undefined,
    batchSize: loader?.batchSize,
    steps: inEpochs ? undefined : measure?.steps,
    epochs: epochs ?? undefined,
    skip: measure?.skip,
    rounds: inEpochs ? undefined : measure?.rounds,
    unit: data?.unit,
  };
}

/** The values that several variants have for one thing, as words: `32` or `16, 32`. Null when none has one. */
export function each<T>(values: readonly (T | null | undefined)[], format: (value: T) => string): string | null {
  const known = [...new Set(values.filter((value) => value !== null && value !== undefined))];
  return known.length === 0 ? null : known.map(format).join(", ");
}
