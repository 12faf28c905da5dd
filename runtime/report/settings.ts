import { z } from "zod";
import type { VariantResult } from "../result/schema.ts";

/** The settings of a variant that reports name, as far as its configuration has them. */
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

const optional = z.number().nullish().transform((value) => value ?? undefined).catch(undefined);

const schema = z.looseObject({
  model: z.string().optional().catch(undefined),
  epochs: optional,
  data: z.looseObject({ unit: z.string().optional().catch(undefined) }).catch({ unit: undefined }),
  loader: z.looseObject({ batchSize: optional }).catch({ batchSize: undefined }),
  measure: z.looseObject({ steps: optional, skip: optional, rounds: optional }).catch({
    steps: undefined,
    skip: undefined,
    rounds: undefined,
  }),
});

/** Reads the settings out of a variant's configuration. */
export function settingsOf(config: VariantResult["config"]): Settings {
  const { model, epochs, data, loader, measure } = schema.parse(config);
  const { steps, skip, rounds } = measure;
  return {
    model,
    batchSize: loader.batchSize,
    steps: epochs === undefined ? steps : undefined,
    epochs,
    skip,
    rounds: epochs === undefined ? rounds : undefined,
    unit: data.unit,
  };
}

/** The values that several variants have for one thing, as words: `32` or `16, 32`. Null when none has one. */
export function each<T>(values: readonly (T | null | undefined)[], format: (value: T) => string): string | null {
  const known = [...new Set(values.filter((value) => value !== null && value !== undefined))];
  return known.length === 0 ? null : known.map(format).join(", ");
}
