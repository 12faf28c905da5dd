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
  /** Of the engine that runs the scripts. */
  v8: z.string(),
  os: text,
  cpu: text,
  cores: z.int().positive().nullable(),
  /** Bytes of the machine. */
  memory: z.int().positive().nullable(),
  /** Null when no device was opened. */
  adapter: adapterSchema.nullable(),
  /** Commit of the working directory. */
  git: text,
  /** Whether files have been changed since that commit. */
  gitDirty: z.boolean().nullable(),
  /** SHA-256 of the deno.lock that fixes the script's packages; null where there is none. */
  lockHash: z.string().regex(/^[0-9a-f]{64}$/).nullable(),
  /** Environment variables that can change what runs, or how fast. */
  variables: z.record(z.string(), z.string()),
});

export type AdapterRecord = z.infer<typeof adapterSchema>;
export type Environment = z.infer<typeof environmentSchema>;
