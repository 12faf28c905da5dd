import { z } from "zod";
import { ATTENTION_FORMS } from "../graph/types.ts";

const part = z.looseObject;

/** Fields of a variant's resolved settings that are read by name, as this version writes them. Others pass through. */
export const configFields = part({
  /** Title of the model; null for the loader alone. */
  model: z.string().nullable(),
  /** Files that the model was read from; absent if it is code. */
  modelFiles: z.array(z.string()).exactOptional(),
  /** File with the parameters at the start; null for initial values. */
  weights: z.string().nullable(),
  mode: z.string(),
  optimizer: part({ kind: z.string() }).nullable(),
  data: part({
    kind: z.string(),
    dir: z.string().nullable(),
    unit: z.string(),
    fuse: z.boolean(),
    placement: z.string(),
  }),
  loader: part({
    batchSize: z.number(),
    numWorkers: z.union([z.number(), z.literal("auto")]),
    prefetch: z.number(),
    sharedMemory: z.boolean(),
  }),
  amp: part({ level: z.string(), keepF32: z.array(z.string()) }),
  sink: z.union([z.number(), z.literal("epoch")]),
  /** Absent in runs of versions without it. */
  accumulate: z.number().exactOptional(),
  compile: part({
    fusion: z.union([z.boolean(), z.array(z.string())]),
    // JSON, like everything in the settings
    autotune: z.unknown(),
    layout: z.enum(["auto", "nhwc", "nchw"]),
    /** Absent in runs of versions without it. */
    attention: z.enum(ATTENTION_FORMS).exactOptional(),
  }),
  monitor: z.string(),
  timing: z.string().nullable(),
  seed: z.int(),
  /** Epochs to train for, instead of `measure.steps`. */
  epochs: z.number().nullable(),
  measure: part({ steps: z.number(), skip: z.number(), rounds: z.number() }),
  /** Options of a program; absent in variants. */
  program: part({ steps: z.string(), env: z.record(z.string(), z.string()) }),
});

type Fields = z.infer<typeof configFields>;

/** A part of the settings, in which an earlier version may lack fields. */
type Lenient<T> = T extends readonly unknown[] ? T
  : T extends object ? { readonly [K in keyof T]?: Lenient<T[K]> | undefined }
  : T;

/** The resolved settings of a variant. Settings that the version of the run did not have are missing. */
export type VariantConfig = Lenient<Fields>;

/**
 * Resolved settings as JSON. The fields keep their order, which reports follow; those that are read by name must be of
 * their type where they are there.
 */
export const configSchema = z.record(z.string(), z.json()).superRefine((config, context) => {
  const { error } = configFields.safeParse(config);
  for (const issue of error?.issues ?? []) {
    const missing = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], config);
    if (missing !== undefined) context.addIssue({ code: "custom", message: issue.message, path: issue.path });
  }
}) as unknown as z.ZodType<VariantConfig>;
