/**
 * Content of a shard file, `NAME-K-of-N.tacho.jsonl`: a header, an entry per round, and the result.
 *
 * @module
 */
import { z } from "zod";
import { environmentSchema } from "../../result/schema.ts";
import { timeSchema } from "../../result/time.ts";
import { moduleSourceSchema } from "../../store/module_source.ts";
import {
  keptFailureSchema,
  keptLossesSchema,
  keptRoundSchema,
  keptTrainingSchema,
  keptWarmUpSchema,
} from "../../store/run_recorder.ts";
import { runSpecSchema } from "../../store/run_spec.ts";

/** Version of the format. */
export const SHARD_FORMAT = 1;

const count = z.int().nonnegative();

/** Number of variants and of shards, more than any sweep has. */
const size = z.int().positive().max(1_000_000);

const headerSchema = z.strictObject({
  kind: z.literal("header"),
  format: z.literal(SHARD_FORMAT),
  /** Number of the shard, from 1 to `of`. */
  shard: size,
  of: size,
  /** Number of shards that run each variant. */
  replicate: size,
  /** Hash of the whole sweep: settings of all variants, script, version and number of shards. */
  sweep: z.string(),
  /** Number of variants of the whole sweep, the baseline included. */
  total: size,
  /** Position in the sweep of each variant of `spec`. */
  positions: z.array(count),
  /** Spec of this shard, with the baseline. */
  spec: runSpecSchema,
  /** Measured rounds that the settings ask for. */
  rounds: count,
  /** Time of the start in ms since 1970. */
  started: timeSchema,
  /** Name of the machine; null if the process may not read it. */
  host: z.string().nullable(),
  script: z.string().nullable(),
  args: z.array(z.string()),
  cwd: z.string(),
  environment: environmentSchema,
});

/** Everything that one synced write adds. */
const stepSchema = z.strictObject({
  kind: z.literal("measured"),
  warmUps: z.array(keptWarmUpSchema).exactOptional(),
  losses: z.array(z.strictObject({ arm: z.string(), first: count, losses: keptLossesSchema })).exactOptional(),
  round: keptRoundSchema.exactOptional(),
  failure: keptFailureSchema.exactOptional(),
  training: keptTrainingSchema.exactOptional(),
});

export const entrySchema = z.discriminatedUnion("kind", [
  headerSchema,
  stepSchema,
  z.strictObject({ kind: z.literal("modules"), modules: z.array(moduleSourceSchema) }),
  z.strictObject({
    kind: z.literal("adapter"),
    adapter: environmentSchema.shape.adapter.unwrap(),
    host: z.string().nullable(),
  }),
  /** The shard was started again. */
  z.strictObject({ kind: z.literal("resumed"), at: timeSchema }),
  /** The run ended without a result. */
  z.strictObject({ kind: z.literal("failed"), message: z.string(), at: timeSchema }),
  z.strictObject({
    kind: z.literal("result"),
    status: z.enum(["complete", "interrupted", "failed"]),
    result: z.unknown(),
    at: timeSchema,
  }),
]);

export type ShardHeader = z.infer<typeof headerSchema>;
export type ShardStep = z.infer<typeof stepSchema>;
export type ShardEntry = z.infer<typeof entrySchema>;
