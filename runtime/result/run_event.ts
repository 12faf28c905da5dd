/**
 * Events of a run, for the progress line in the terminal, the callback of `run` and `--json-lines`.
 *
 * @module
 */
import { z } from "zod";
import type { Timeline } from "../record/timeline.ts";
import { estimateSchema } from "./comparison.ts";
import { rungSchema } from "./ladder.ts";
import { resultSchema } from "./schema.ts";
import type { JsonLine } from "./types.ts";

export type { JsonLine } from "./types.ts";

const count = z.int().nonnegative();

/** Version of the lines of `--json-lines`. Fields and types may be added to a version; any other change raises it. */
export const EVENTS_VERSION = 1;

/** The first line of `--json-lines`. */
const streamSchema = z.strictObject({ type: z.literal("stream"), version: z.literal(EVENTS_VERSION) });

/** The start of a run. */
const startSchema = z.strictObject({
  type: z.literal("start"),
  scenario: z.string(),
  seed: z.int(),
  baseline: z.string(),
  variants: z.array(z.string()),
});

/** A running stage, between steps; `--json-lines` leaves out some of a rapid sequence. */
const progressSchema = z.strictObject({
  type: z.literal("progress"),
  /** Variant that the stage belongs to; null for a stage that all variants share. */
  variant: z.string().nullable(),
  stage: z.enum([
    "prepare",
    "tune",
    "compile",
    "warmup",
    "measure",
    "profile",
    "peaks",
    "evaluate",
    "seeds",
    "target",
    "data",
    "report",
  ]),
  /** Completed steps of the stage, or kernels of `compile` and `peaks`; 0 for a stage without steps. */
  step: count,
  /** Total number of these; 0 for a stage without steps. */
  steps: count,
  /** A few words about the stage, such as `round 2/3`. */
  message: z.string().exactOptional(),
  /** Preliminary result of the variant; absent before its first measured block. */
  soFar: z.strictObject({
    /** Samples per second. */
    ips: z.number(),
    /** Unit of `ips`, such as `images/s`. */
    unit: z.string(),
    /** Speed relative to the baseline; null for the baseline, and before that is measured. */
    ratio: z.number().nullable(),
    /** Bound of a step; null while unknown. */
    bound: z.string().nullable(),
  }).exactOptional(),
  /** Completed fraction of the whole run, from 0 to 1; null while unknown. */
  fraction: z.number().min(0).max(1).nullable(),
});

/** A completed round: one block of every arm. */
const roundSchema = z.strictObject({
  type: z.literal("round"),
  round: count,
  /** Maximum number of rounds. */
  planned: count,
  /** Blocks in the order in which they ran, with their wall times in ms. */
  blocks: z.array(z.strictObject({ arm: z.string(), samples: count, wall: z.number() })),
  /** Speed relative to the baseline over all rounds so far, with its 95 % interval. */
  intervals: z.array(z.strictObject({ arm: z.string(), speedup: estimateSchema })),
});

const warningSchema = z.strictObject({
  type: z.literal("warning"),
  /** Kind of the warning if it is part of the result, too; otherwise null. */
  kind: z.string().nullable(),
  message: z.string(),
});

/** A variant or control arm that failed. The others continue. */
const failureSchema = z.strictObject({
  type: z.literal("failure"),
  arm: z.string(),
  message: z.string(),
  exitStatus: z.int(),
});

/** The user interrupted the run; the result of the completed measurements follows. */
const interruptedSchema = z.strictObject({ type: z.literal("interrupted") });

/** A setting that `--tune` is about to try. */
const predictionSchema = z.strictObject({
  type: z.literal("prediction"),
  name: z.string(),
  finding: z.string(),
  /** Predicted speed relative to the current settings. */
  gain: z.number(),
  reasoning: z.string(),
});

/** A setting that `--tune` has tried. */
const triedSchema = z.strictObject({ type: z.literal("rung"), rung: rungSchema });

/** The result, after all measurements. */
const resultEventSchema = z.strictObject({ type: z.literal("result"), result: resultSchema });

/** The error that ended the run without a result, and the exit status of the process. */
const errorSchema = z.strictObject({ type: z.literal("error"), message: z.string(), exitStatus: z.int() });

/** The schema with the types of its members, for other unions. */
export const jsonLineSchema = z.discriminatedUnion("type", [
  streamSchema,
  startSchema,
  progressSchema,
  roundSchema,
  warningSchema,
  failureSchema,
  interruptedSchema,
  predictionSchema,
  triedSchema,
  resultEventSchema,
  errorSchema,
]);

/** A line of `--json-lines`. */
export const runEventSchema: z.ZodType<JsonLine> = jsonLineSchema;

/** Recorded steps of a variant, at the end of a run. Not part of `--json-lines`. */
export interface TimelineEvent {
  readonly type: "timeline";
  readonly timeline: Timeline;
}

/** Something that happened during a run. */
export type RunEvent = JsonLine | TimelineEvent;
export type ProgressEvent = z.infer<typeof progressSchema>;
export type ProgressStage = ProgressEvent["stage"];
/** Preliminary result of a variant. */
export type SoFar = NonNullable<ProgressEvent["soFar"]>;

/** Receives the events of a run. */
export type Emit = (event: RunEvent) => void;
