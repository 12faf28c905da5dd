import { z } from "zod";
import type { Timeline } from "../record/timeline.ts";

const count = z.int().nonnegative();
const end = z.strictObject({ track: z.string(), time: z.number() });

/** Schema of the recorded steps of a variant. */
export const timelineSchema: z.ZodType<Timeline> = z.strictObject({
  variant: z.string(),
  steps: z.strictObject({ traced: count, profiled: count }).exactOptional(),
  leftOut: count.exactOptional(),
  sampling: z.strictObject({ interval: z.number(), share: z.number() }).exactOptional(),
  spans: z.array(z.strictObject({
    track: z.string(),
    name: z.string(),
    start: z.number(),
    end: z.number(),
    step: count.exactOptional(),
    args: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
  })),
  counters: z.array(z.strictObject({ counter: z.string(), time: z.number(), value: z.number() })),
  flows: z.array(z.strictObject({ name: z.string(), from: end, to: end })),
});
