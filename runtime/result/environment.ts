import { z } from "zod";

const text = z.string().nullable();

/** The device that the steps ran on. */
export const adapterSchema = z.strictObject({
  name: text,
  vendor: text,
  backend: text,
  driver: text,
  /** Whether kernels run on the CPU. */
  fallback: z.boolean().nullable(),
  features: z.array(z.string()),
  limits: z.record(z.string(), z.number()),
});

/** Where the run took place. Null where it cannot be known. */
export const environmentSchema = z.strictObject({
  /** Version of Tacho. */
  tacho: z.string(),
  deno: z.string(),
  os: text,
  cpu: text,
  cores: z.int().positive().nullable(),
  /** Null when no device was opened. */
  adapter: adapterSchema.nullable(),
  /** Commit of the working directory. */
  git: text,
});

export type AdapterRecord = z.infer<typeof adapterSchema>;
export type Environment = z.infer<typeof environmentSchema>;
