import { z } from "zod";

/** A setting to change, as on the command line: `loader.numWorkers=2`. */
export const changeSchema = z.strictObject({ path: z.string(), from: z.json(), to: z.json() });

/** Advice on a variant. */
export const findingSchema = z.strictObject({
  /** Slug of the rule, such as `more-workers`. */
  kind: z.string(),
  severity: z.enum(["info", "warning"]),
  message: z.string(),
  /** Figures that support it, with their place in the report: `queues`, `ops`, `op:ID`, `roofline`, ... */
  evidence: z.array(z.strictObject({ label: z.string(), value: z.string(), where: z.string() })),
  /** Changes that apply the advice; empty if the script itself must change. */
  changes: z.array(changeSchema),
  /** Predicted speed / current speed after the changes, and the reasoning. */
  predicted: z.strictObject({ gain: z.number().positive(), reasoning: z.string() }).nullable(),
});

export type Finding = z.infer<typeof findingSchema>;
export type Change = z.infer<typeof changeSchema>;
