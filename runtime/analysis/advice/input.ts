import { z } from "zod";
import type { Peaks } from "../../result/roofline.ts";
import type { VariantResult } from "../../result/variant.ts";

/** What advice may rest on. */
export interface AdviceInput {
  readonly variant: VariantResult;
  /** What it is compared with in the same run; null where it is that itself. */
  readonly baseline: VariantResult | null;
  /** Processor cores; null where it is not known. */
  readonly cores: number | null;
  /** Whether kernels run on the cores that make batches. */
  readonly software: boolean;
  /** Null where they were not measured. */
  readonly peaks: Peaks | null;
  /** Bytes of device memory that the variant may take; null where there is no known limit. */
  readonly memoryLimit: number | null;
  /** Of the data that is trained on; null where it is not known. */
  readonly samples: number | null;
}

const milliseconds = z.number().optional();
const transform = z.looseObject({ kind: z.string(), delay: milliseconds });

/** Of a variant's configuration, what rules look at. */
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
    transforms: z.array(transform),
    fuse: z.boolean(),
    placement: z.string(),
    delay: z.looseObject({ read: milliseconds, decode: milliseconds, collate: milliseconds }).optional(),
  }),
  amp: z.looseObject({ level: z.string(), keepF32: z.array(z.string()) }),
  sink: z.union([z.number(), z.literal("epoch")]),
  compile: z.looseObject({
    fusion: z.union([z.boolean(), z.array(z.string())]),
    autotune: z.json().nullable(),
    layout: z.string(),
  }),
  monitor: z.string(),
  optimizer: z.json().nullable(),
});

export type Settings = z.infer<typeof settingsSchema>;
export type TransformSettings = z.infer<typeof transform>;

/** The settings of a variant; null where its record is of another version and lacks some. */
export function settingsOf({ config }: Pick<VariantResult, "config">): Settings | null {
  return settingsSchema.safeParse(config).data ?? null;
}
