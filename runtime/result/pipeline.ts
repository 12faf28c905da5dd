import { z } from "zod";

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();
const ratio = z.number().min(0).max(1);

/** Mean, minimum and maximum. */
export const spreadSchema = z.strictObject({ avg: z.number(), min: z.number(), max: z.number() });

/** A stage of the input pipeline. Times are null if not measured. */
export const stageSchema = z.strictObject({
  name: z.string(),
  /** `copy` uploads to the device; all others except `handOver` run in sequence on the thread that makes a batch. */
  kind: z.enum(["read", "decode", "transform", "cache", "collate", "handOver", "copy"]),
  perSample: milliseconds.nullable(),
  perBatch: milliseconds.nullable(),
  /** Fraction of the time spent making batches; null for stages outside it. */
  share: ratio.nullable(),
  /** Time per sample by thread; empty for stages outside a thread. `worker` is null for the main thread. */
  threads: z.array(z.strictObject({ worker: count.nullable(), perSample: milliseconds.nullable() })),
});

/** A thread that makes batches. */
export const pipelineThreadSchema = z.strictObject({
  /** Index of the worker; null for the main thread. */
  worker: count.nullable(),
  batches: count,
  /** Time to make a batch: ms. */
  make: spreadSchema,
  /** Samples whose stages were timed. */
  timed: count,
  /** Fraction of its time that it waited for a free slot; null without slots. */
  waiting: ratio.nullable(),
  /** Finished batches not yet taken, at every measured step; omitted without workers. */
  ready: z.array(count).optional(),
});

/** Depth of a queue, sampled at every measured step. */
export const queueSchema = z.strictObject({
  /** Maximum number of batches; null if unknown. */
  capacity: count.nullable(),
  depth: spreadSchema,
  /** Fraction of steps that found it empty, or full. */
  empty: ratio,
  full: ratio.nullable(),
});

/** Bottleneck of the input pipeline. */
export const pipelineBoundSchema = z.strictObject({
  /** Slowest part: the threads that make batches, the copy to the device, or the steps that consume them. */
  where: z.enum(["making", "copy", "consumer"]),
  /** Longest stage of making a batch. */
  stage: z.string().nullable(),
  /** Fraction of the batch cost that the training loop waited for data. */
  readerShare: ratio.nullable(),
  /**
   * True if training waits for the pipeline more often than the reverse or, without workers, if making batches takes longer
   * than the steps. Null if nothing is trained.
   */
  boundsTraining: z.boolean().nullable(),
});

/** The input pipeline of a variant over its measured steps. Times are in ms. */
export const pipelineSchema = z.strictObject({
  /** 0: the main thread makes each batch on demand. */
  numWorkers: count,
  /** Measurements behind `numWorkers: "auto"`; null if the number was given. */
  choice: z.strictObject({
    measured: z.array(z.strictObject({ numWorkers: count, samplesPerSecond: z.number().nonnegative() })),
    chosen: count,
  }).nullable(),
  sharedMemory: z.boolean(),
  batches: count,
  samples: count,
  /** Samples that failed and were replaced, warm-up included. */
  skipped: count,
  /** Reasons of the first failures. */
  skipReasons: z.array(z.string()),
  /** Samples whose file has a problem that leaves them whole, warm-up included, and the first warning; omitted without any. */
  warnings: z.strictObject({ samples: count, first: z.string() }).optional(),
  /** Cache of the samples, at the end of the measured steps; omitted without one. */
  cache: z.strictObject({
    in: z.enum(["memory", "file"]),
    /** Samples in it, and their bytes. */
    samples: count,
    bytes: count,
    /** Limit in bytes; `full` once a sample did not fit. */
    limit: count,
    full: z.boolean(),
    /** Samples of the measured steps that were in it, and that were made. */
    hits: count,
    misses: count,
    /** Time to fill it before the first batch; null if it was not. */
    fillMs: milliseconds.nullable(),
  }).optional(),
  stages: z.array(stageSchema),
  threads: z.array(pipelineThreadSchema),
  /** Batches ready in the loader, and batches staged on the device; null without such a queue. */
  queues: z.strictObject({ host: queueSchema.nullable(), device: queueSchema.nullable() }),
  readerCost: spreadSchema,
  batchCost: spreadSchema,
  /** Samples per second over all steps, and over the slowest and the fastest ten consecutive steps. */
  ips: spreadSchema,
  bound: pipelineBoundSchema,
});

export type Pipeline = z.infer<typeof pipelineSchema>;
export type PipelineStage = z.infer<typeof stageSchema>;
export type PipelineThread = z.infer<typeof pipelineThreadSchema>;
export type PipelineQueue = z.infer<typeof queueSchema>;
export type PipelineBound = z.infer<typeof pipelineBoundSchema>;
export type Spread = z.infer<typeof spreadSchema>;
