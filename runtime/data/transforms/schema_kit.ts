import { z } from "zod";
import { milliseconds, nonNegativeInteger, positiveInteger } from "../checked.ts";

const number = z.number({ error: "expected a number" });
const positive = number.positive({ error: "expected a number above 0" });
const delay = milliseconds.optional().describe("milliseconds to sleep for each sample");
const PROBABILITY = { error: "expected a probability from 0 to 1" };

/**
 * Parts of transforms' schemas. Definitions receive them as an argument, so that data workers, which run transforms but
 * check no records, import no zod.
 */
export const schemaKit = {
  z,
  number,
  positive,
  positiveInteger,
  nonNegativeInteger,
  probability: z.number(PROBABILITY).min(0, PROBABILITY).max(1, PROBABILITY),
  /** `[smallest, largest]`, both above 0. */
  range: (what: string) =>
    z.tuple([positive, positive], { error: `expected [smallest, largest] ${what}` })
      .refine(([low, high]) => low <= high, { error: `expected [smallest, largest] ${what}` }),
  /** Option of transforms that resize. */
  antialias: z.boolean({ error: "expected true or false" }).default(true)
    .describe("widen the filter when the image shrinks, so that every pixel contributes"),
  /** Returns the schema of a kind's record: its own fields and those of every transform. */
  record: <K extends string, S extends z.ZodRawShape>(kind: K, fields: S) =>
    z.strictObject({ kind: z.literal(kind), ...fields, delay }),
};

export type SchemaKit = typeof schemaKit;
