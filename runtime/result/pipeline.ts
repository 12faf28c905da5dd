import { z } from "zod";

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();
const ratio = z.number().min(0).max(1);

/** Mean, smallest and largest. */
export const spreadSchema = z.strictObject({ avg: z.number(), min: z.number(), max: z.number() });

/** One stage of the input pipeline. Null where it was not timed. */
export const stageSchema = z.strictObject({
  name: z.string(),
  /** `copy` is to the device; the others but `handOver` run one after the other on the thread that makes a batch. */
  kind: z.enum(["read", "decode", "transform", "collate", "handOver", "copy"]),
  perSample: milliseconds.nullable(),
  perBatch: milliseconds.nullable(),
  /** Of the time in which batches were made; null for what is not part of that. */
  share: ratio.nullable(),
  /** Per sample by thread; empty where it is not a thread's. The main thread is null. */
  threads: z.array(z.strictObject({ worker: count.nullable(), perSample: milliseconds.nullable() })),
});

/** One thread that makes batches. */
export const pipelineThreadSchema = z.strictObject({
  /** Null for the main thread. */
  worker: count.nullable(),
  batches: count,
  /** Milliseconds for a batch. */
  make: spreadSchema,
  /** Samples whose stages were timed. */
  timed: count,
  /** Of the time in which it made batches or waited for a free slot: the part that it waited. Null without slots. */
  waiting: ratio.nullable(),
  /** Batches that it had made and nobody had taken, at every measured step; left out without workers. */
  ready: z.array(count).optional(),
});

/** How full a queue was, sampled at every measured step. */
export const queueSchema = z.strictObject({
  /** Null where it has no limit that is known. */
  capacity: count.nullable(),
  depth: spreadSchema,
  /** Part of the steps that found it empty, or as full as it gets. */
  empty: ratio,
  full: ratio.nullable(),
});

/** What holds up the rest, and the numbers that say so. */
export const pipelineBoundSchema = z.strictObject({
  /** Where the time goes: threads that make batches, the copy to the device, or the steps that consume them. */
  where: z.enum(["making", "copy", "consumer"]),
  /** The stage that takes most of the making. */
  stage: z.string().nullable(),
  /** Part of the batch cost in which the training loop waited for data. */
  readerShare: ratio.nullable(),
  /**
   * Whether training waits for the pipeline more often than the pipeline for training; where batches are made between
   * steps, whether they take more than the steps. Null where nothing is trained.
   */
  boundsTraining: z.boolean().nullable(),
});

/** The input pipeline of a variant over its measured steps. Times in milliseconds. */
export const pipelineSchema = z.strictObject({
  /** 0: the main thread makes each batch when it is asked for. */
  numWorkers: count,
  /** How the number was found where it was `"auto"`. */
  choice: z.strictObject({
    measured: z.array(z.strictObject({ numWorkers: count, samplesPerSecond: z.number().nonnegative() })),
    chosen: count,
  }).nullable(),
  sharedMemory: z.boolean(),
  batches: count,
  samples: count,
  /** Samples that could not be made and were replaced, also before what is measured; why the first ones could not. */
  skipped: count,
  skipReasons: z.array(z.string()),
  stages: z.array(stageSchema),
  threads: z.array(pipelineThreadSchema),
  /** Batches that are ready in the loader, and those that wait on the device; null where there is no such queue. */
  queues: z.strictObject({ host: queueSchema.nullable(), device: queueSchema.nullable() }),
  readerCost: spreadSchema,
  batchCost: spreadSchema,
  /** Samples per second: over all steps, and in the slowest and the fastest ten in a row. */
  ips: spreadSchema,
  bound: pipelineBoundSchema,
});

export type Pipeline = z.infer<typeof pipelineSchema>;
export type PipelineStage = z.infer<typeof stageSchema>;
export type PipelineThread = z.infer<typeof pipelineThreadSchema>;
export type PipelineQueue = z.infer<typeof queueSchema>;
export type PipelineBound = z.infer<typeof pipelineBoundSchema>;
export type Spread = z.infer<typeof spreadSchema>;
