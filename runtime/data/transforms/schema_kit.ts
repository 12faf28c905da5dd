import { z } from "zod";
import { milliseconds, nonNegativeInteger, positiveInteger } from "../checked.ts";

const number = z.number({ error: "expected a number" });
const positive = number.positive({ error: "expected a number above 0" });

/**
 * Parts of transforms' schemas. A definition gets them as an argument, so that data workers, which run transforms but
 * check no records, import no zod.
 */
export const schemaKit = {
  z,
  number,
  positive,
  positiveInteger,
  nonNegativeInteger,
  flag: z.boolean({ error: "expected true or false" }),
  probability: z.number({ error: "expected a probability from 0 to 1" })
    .min(0, { error: "expected a probability from 0 to 1" })
    .max(1, { error: "expected a probability from 0 to 1" }),
  /** `[least, largest]`, both above 0. */
  range: (what: string) =>
    z.tuple([positive, positive], { error: `expected [least, largest] ${what}` })
      .refine(([low, high]) => low <= high, { error: `expected [least, largest] ${what}` }),
  /** Taken by every transform. */
  delay: milliseconds.optional().describe("milliseconds that it sleeps for each sample"),
};

export type SchemaKit = typeof schemaKit;
