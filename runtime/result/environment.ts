import { z } from "zod";

const text = z.string().nullable();

/** Adapter that the steps ran on. */
export const adapterSchema = z.strictObject({
  name: text,
  vendor: text,
  backend: text,
  driver: text,
  /** UUID of the device, as 32 hexadecimal digits. Earlier results and lock files have none. */
  uuid: text.default(null),
  /** Address of the device on the PCI bus. */
  pci: text.default(null),
  /** True for a software adapter, whose kernels run on the CPU. */
  fallback: z.boolean().nullable(),
  features: z.array(z.string()),
  limits: z.record(z.string(), z.number()),
});

/** Environment of a run. Fields are null if unknown. */
export const environmentSchema = z.strictObject({
  /** Version of Tacho. */
  tacho: z.string(),
  deno: z.string(),
  /** Version of the JavaScript engine. */
  v8: z.string(),
  os: text,
  cpu: text,
  cores: z.int().positive().nullable(),
  /** Memory of the machine in bytes. */
  memory: z.int().positive().nullable(),
  /** Adapter of the run; null if no device was opened. */
  adapter: adapterSchema.nullable(),
  /** Git commit of the working directory. */
  git: text,
  /** True if files have changed since that commit. */
  gitDirty: z.boolean().nullable(),
  /** SHA-256 of the deno.lock that pins the script's packages; null without one. */
  lockHash: z.string().regex(/^[0-9a-f]{64}$/).nullable(),
  /** Environment variables that affect what runs or how fast. */
  variables: z.record(z.string(), z.string()),
  /**
   * SHA-256 of the files that the run read and versions of the packages that prepared its data, by purpose and name, such
   * as `data text.txt`. Missing in earlier results and in those of programs.
   */
  inputs: z.record(z.string(), z.string()).exactOptional(),
  /** True for a run in the sandbox, whose figures are those that the script's process reported. */
  sandbox: z.literal(true).exactOptional(),
});

export type AdapterRecord = z.infer<typeof adapterSchema>;
export type Environment = z.infer<typeof environmentSchema>;
