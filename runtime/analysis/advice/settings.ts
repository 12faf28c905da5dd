import { z } from "zod";
import { transformSchema } from "../../data/transforms/schema.ts";
import { configFields } from "../../result/config.ts";
import type { VariantResult } from "../../result/variant.ts";

const milliseconds = z.number().optional();

/** The settings that rules read: all of them, with the transforms as this version knows them. */
const settingsSchema = configFields.pick({
  ...{ model: true, loader: true, amp: true, sink: true, compile: true, monitor: true, optimizer: true },
}).extend({
  data: configFields.shape.data.pick({ kind: true, fuse: true, placement: true }).extend({
    transforms: z.array(transformSchema),
    delay: z.looseObject({ read: milliseconds, decode: milliseconds, collate: milliseconds }).optional(),
  }),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Returns the settings of a variant; null for a record of another version that lacks some. */
export function settingsOf({ config }: Pick<VariantResult, "config">): Settings | null {
  return settingsSchema.safeParse(config).data ?? null;
}
