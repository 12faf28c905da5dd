import { z } from "zod";
import { transformSchema } from "../../data/transforms/schema.ts";
import { configFields } from "../../result/config.ts";
import type { VariantResult } from "../../result/variant.ts";

const milliseconds = z.number().optional();
const { model, loader, data, amp, sink, compile, monitor, optimizer } = configFields.shape;

/** The resolved settings that rules read, all of them present, with the transforms as records of this version. */
const settingsSchema = z.looseObject({
  model,
  loader,
  data: data.omit({ dir: true, unit: true }).extend({
    transforms: z.array(transformSchema),
    delay: z.looseObject({ read: milliseconds, decode: milliseconds, collate: milliseconds }).optional(),
    /** Undefined in records of versions without caches. */
    cache: z.looseObject({ after: z.number() }).nullish(),
  }),
  amp,
  sink,
  /** Distributed training; null or undefined on one rank. */
  distribute: z.looseObject({ overlap: z.boolean().optional(), compress: z.string().nullish() }).nullish(),
  compile,
  monitor,
  optimizer,
  accumulate: z.number().default(1),
  recompute: z.union([z.string(), z.array(z.string())]).default("none"),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Returns the settings of a variant; null for a record of another version that lacks some. */
export function settingsOf({ config }: Pick<VariantResult, "config">): Settings | null {
  return settingsSchema.safeParse(config).data ?? null;
}
