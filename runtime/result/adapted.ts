import { z } from "zod";
import { changeSchema } from "./finding.ts";

/** Settings of a scenario that applied because of the adapter. */
export const adaptedSchema = z.strictObject({
  /** Keys of the scenario's `adapters` that applied: `software`, or a part of the adapter's name. */
  adapters: z.array(z.string()),
  /** Settings of the baseline that they changed. */
  changes: z.array(changeSchema),
  /** Names of the variants that they left out. */
  omitted: z.array(z.string()),
});

export type Adapted = z.infer<typeof adaptedSchema>;
