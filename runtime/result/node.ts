import { z } from "zod";
import { adapterSchema } from "./environment.ts";

/** A shard of a merged run. Speeds of different shards are not compared. */
export const nodeSchema = z.strictObject({
  /** Number of the shard, from 1. */
  shard: z.int().positive(),
  of: z.int().positive(),
  /** Name of the machine; null if unknown. */
  host: z.string().nullable(),
  adapter: adapterSchema.shape.name,
  driver: adapterSchema.shape.driver,
  /** Complete rounds. */
  rounds: z.int().nonnegative(),
  /** Standard deviation of the log of the baseline's time over rounds; null with fewer than two. */
  baselineSpread: z.number().nonnegative().nullable(),
  /** Noise floor; null without a control arm. */
  noiseFloor: z.number().nonnegative().nullable(),
  /** Throughput of each variant that the shard ran, in its own unit per second; null if not measured. */
  speeds: z.array(z.strictObject({ variant: z.string(), ips: z.number().nullable() })),
});

export type Node = z.infer<typeof nodeSchema>;
