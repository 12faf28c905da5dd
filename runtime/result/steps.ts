import { z } from "zod";
import { lossSchema } from "./loss.ts";
import { byPhase } from "./phases.ts";
import { allReduceSchema } from "./ranks.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nullable();

/** A measured step. Times are in ms. */
export const stepSchema = z.strictObject({
  /** Index of the step in the variant's training, warm-up included. */
  index: count,
  batchCost: milliseconds,
  readerCost: milliseconds,
  /** Step time by the variant's `timing`; null without one. */
  stepTime: milliseconds,
  iterationGap: milliseconds,
  /**
   * On the device's clock, in ms since the first step of the block began: start of the step, end of its propagations, and its
   * end. Missing if one of them was not timed, and in results of earlier versions.
   */
  points: z.strictObject({ begin: z.number(), propagated: z.number(), end: z.number() }).exactOptional(),
  ...byPhase(z.number()),
  /** Average of the gradients over ranks; missing on one rank. */
  allReduce: allReduceSchema.exactOptional(),
  loss: lossSchema.nullable(),
});

/** Time from the start of a program's process to its first result, by what the program does: ms. */
export const startSchema = z.strictObject({
  /** Until it has a device: the process, its modules, the adapter. */
  loading: z.number(),
  /** Creating shader modules and pipelines. */
  compilation: z.number(),
  upload: z.number(),
  /** Everything else up to the first result. */
  firstRun: z.number(),
});

/** A run of a command; null where the system does not tell. */
export const runSchema = z.strictObject({
  /** Time from its start to its end, in ms. */
  wall: z.number().nonnegative(),
  /** Processor time of its processes in user and kernel mode, in ms. */
  user: z.number().nonnegative().nullable(),
  system: z.number().nonnegative().nullable(),
  /** Peak memory of its largest process, in bytes. */
  memory: z.number().nonnegative().nullable(),
  /** Exit status; 128 + the number of the signal that ended it. */
  status: z.int(),
});

/** Work of a program's steps, as WebGPU sees it. */
export const workSchema = z.strictObject({
  dispatches: count,
  renderPasses: count,
  /** Bytes that the host wrote to the device. */
  uploadBytes: count,
  /** Marks that can end a step. */
  marks: count,
});

export type Work = z.infer<typeof workSchema>;

/** Consecutive steps of a variant: the unit of comparison. */
export const blockSchema = z.strictObject({
  round: count,
  /** Number of the variant's set-up, from 0; missing in results of earlier versions, which had a single one. */
  setup: count.exactOptional(),
  /** Position in the round. */
  position: count,
  /** Samples, or their tokens where throughput counts tokens. */
  samples: count,
  /** Wall time in ms. */
  wall: z.number().nonnegative(),
  /** Energy that the system's counters have counted meanwhile, in joules; missing without counters. */
  energy: z.number().nonnegative().exactOptional(),
  steps: z.array(stepSchema),
  /** Work of all steps; missing unless they are those of a program with a device, and in results of earlier versions. */
  work: workSchema.exactOptional(),
  /** Runs of a command, in the order of the steps; missing unless its steps are whole runs. */
  runs: z.array(runSchema).exactOptional(),
  /** Parts of the time to the first result of a program; missing unless the block is a cold start. */
  start: startSchema.exactOptional(),
});

/** Loss and accuracy on held-out data, measured between the measured steps. */
export const evaluationSchema = z.strictObject({
  split: z.string(),
  /** Steps trained before the evaluation. */
  step: count,
  samples: count,
  loss: lossSchema.nullable(),
  /** From 0 to 1; null for a loss without classes. */
  accuracy: z.number().min(0).max(1).nullable(),
  /** Samples that failed and were replaced. */
  skipped: count,
});

export type StepRecord = z.infer<typeof stepSchema>;
export type Block = z.infer<typeof blockSchema>;
export type Start = z.infer<typeof startSchema>;
export type Evaluation = z.infer<typeof evaluationSchema>;
