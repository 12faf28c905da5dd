import { z } from "zod";

/** A setting to change, as on the command line: `loader.numWorkers=2`. */
export const changeSchema = z.strictObject({ path: z.string(), from: z.json(), to: z.json() });

/** Something that the analysis noticed about a variant. */
export const findingSchema = z.strictObject({
  /** Slug of the rule, such as `more-workers`. */
  kind: z.string(),
  severity: z.enum(["info", "warning"]),
  message: z.string(),
  /** Figures that say so, each with where it stands in the report: `queues`, `ops`, `op:ID`, `roofline`, ... */
  evidence: z.array(z.strictObject({ label: z.string(), value: z.string(), where: z.string() })),
  /** What to do about it; empty where the script itself must change. */
  changes: z.array(changeSchema),
  /** Times the speed, if that is done, and how that was reckoned. */
  predicted: z.strictObject({ gain: z.number().positive(), reasoning: z.string() }).nullable(),
});

export type Finding = z.infer<typeof findingSchema>;
export type Change = z.infer<typeof changeSchema>;
