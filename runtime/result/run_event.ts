/**
 * Events of a run as it goes on: what the terminal's progress, a library's callback and `--json-lines` are made from.
 *
 * @module
 */
import { z } from "zod";
import type { Timeline } from "../record/timeline.ts";
import { estimateSchema } from "./comparison.ts";
import { rungSchema } from "./ladder.ts";
import { resultSchema } from "./schema.ts";

const count = z.int().nonnegative();

/** The first event of a run. */
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
  /** The variant at work; null for what is done once for all of them. */
  variant: z.string().nullable(),
  stage: z.enum(["prepare", "tune", "compile", "warmup", "measure", "profile", "evaluate", "target", "data"]),
  /** Steps of the stage that are done, and all; 0 of 0 for a stage without steps. */
  step: count,
  steps: count,
  /** A few words about the stage, such as `round 2/3`. */
  message: z.string().exactOptional(),
  /** Standing of the variant after its measured blocks; absent before the first. */
  soFar: z.strictObject({
    /** Samples per second. */
    ips: z.number(),
    /** Unit of `ips`, such as `images/s`. */
    unit: z.string(),
    /** Times the speed of the baseline; null for the baseline, and before it is measured. */
    ratio: z.number().nullable(),
    /** What a step waits for; null while unknown. */
    bound: z.string().nullable(),
  }).exactOptional(),
  /** Part of the whole run that is done, from 0 to 1; null while unknown. */
  fraction: z.number().min(0).max(1).nullable(),
});

/** A round of which every arm ran its block. */
const roundSchema = z.strictObject({
  type: z.literal("round"),
  round: count,
  /** Most rounds that will be run. */
  planned: count,
  /** Arms in the order in which they ran, with the wall time of their blocks in ms. */
  blocks: z.array(z.strictObject({ arm: z.string(), samples: count, wall: z.number() })),
  /** Speed against the baseline over all rounds so far, with its 95 % interval. */
  intervals: z.array(z.strictObject({ arm: z.string(), speedup: estimateSchema })),
});

const warningSchema = z.strictObject({
  type: z.literal("warning"),
  /** Name of the kind where the result holds the warning too; null for one that it does not hold. */
  kind: z.string().nullable(),
  message: z.string(),
});

/** A variant, or the control arm, that cannot go on. */
const failureSchema = z.strictObject({
  type: z.literal("failure"),
  arm: z.string(),
  message: z.string(),
  exitStatus: z.int(),
});

/** The run was asked to stop; a result of what was measured follows. */
const interruptedSchema = z.strictObject({ type: z.literal("interrupted") });

/** A setting that `--tune` is about to try. */
const predictionSchema = z.strictObject({
  type: z.literal("prediction"),
  name: z.string(),
  finding: z.string(),
  /** Expected times the speed. */
  gain: z.number(),
  reasoning: z.string(),
});

/** A setting that `--tune` has tried. */
const triedSchema = z.strictObject({ type: z.literal("rung"), rung: rungSchema });

/** The result, when all is measured. */
const resultEventSchema = z.strictObject({ type: z.literal("result"), result: resultSchema });

/** Why a run ends without a result, and the exit status of the process. */
const errorSchema = z.strictObject({ type: z.literal("error"), message: z.string(), exitStatus: z.int() });

/** A line of `--json-lines`. */
export const runEventSchema = z.discriminatedUnion("type", [
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

/** Recorded steps of a variant, at the end of a run; within the process only. */
export interface TimelineEvent {
  readonly type: "timeline";
  readonly timeline: Timeline;
}

/** Something that happened during a run. */
export type RunEvent = z.infer<typeof runEventSchema> | TimelineEvent;
export type ProgressEvent = z.infer<typeof progressSchema>;
export type ProgressStage = ProgressEvent["stage"];
/** Standing of a variant before its run has ended. */
export type SoFar = NonNullable<ProgressEvent["soFar"]>;

/** Takes the events of a run. */
export type Emit = (event: RunEvent) => void;
