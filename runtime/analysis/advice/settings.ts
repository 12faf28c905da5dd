import { z } from "zod";
import { transformSchema } from "../../data/transforms/schema.ts";
import type { VariantResult } from "../../result/variant.ts";

const milliseconds = z.number().optional();

/** The part of a variant's configuration that rules read. */
const settingsSchema = z.looseObject({
  model: z.string().nullable(),
  loader: z.looseObject({
    batchSize: z.number(),
    numWorkers: z.union([z.number(), z.literal("auto")]),
    prefetch: z.number(),
    sharedMemory: z.boolean(),
  }),
  data: z.looseObject({
    kind: z.string(),
    transforms: z.array(transformSchema),
    fuse: z.boolean(),
    placement: z.string(),
    delay: z.looseObject({ read: milliseconds, decode: milliseconds, collate: milliseconds }).optional(),
  }),
  amp: z.looseObject({ level: z.string(), keepF32: z.array(z.string()) }),
  sink: z.union([z.number(), z.literal("epoch")]),
  compile: z.looseObject({
    fusion: z.union([z.boolean(), z.array(z.string())]),
    autotune: z.json().nullable(),
    layout: z.enum(["auto", "nhwc", "nchw"]),
  }),
  monitor: z.string(),
  optimizer: z.json().nullable(),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Returns the settings of a variant; null where its record is of another version and lacks some. */
export function settingsOf({ config }: Pick<VariantResult, "config">): Settings | null {
  return settingsSchema.safeParse(config).data ?? null;
}
