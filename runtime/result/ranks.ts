import { z } from "zod";

const count = z.int().nonnegative();
const milliseconds = z.number();

/** Parts of the time in which a step averages gradients over ranks, in ms; see `record/all_reduce.ts`. */
export const allReduceSchema = z.strictObject({
  /** Copy of the gradients to the host. */
  copyOut: milliseconds,
  /** Time until the slowest rank has its gradients. */
  wait: milliseconds,
  /** Transfers that the step waits for. */
  network: milliseconds,
  /** Copy of the averages to the device. */
  copyIn: milliseconds,
  /** Transfers while the device works; not part of the sum. */
  hidden: milliseconds,
});

/** Steps of a rank in a block: means in ms. */
export const rankBlockSchema = z.strictObject({
  steps: count,
  batchCost: milliseconds,
  readerCost: milliseconds,
  iterationGap: milliseconds.nullable(),
  forward: milliseconds.nullable(),
  backward: milliseconds.nullable(),
  update: milliseconds.nullable(),
  allReduce: allReduceSchema,
});

/** Transfers of one bucket of gradients over the steps of a block. */
export const bucketTimesSchema = z.strictObject({
  /** Bytes that each rank contributes. */
  bytes: count,
  /** Number of parameters. */
  parameters: count,
  calls: count,
  /** Transfer time from the moment when all ranks are ready: ms over all calls. */
  total: milliseconds,
});

/** Rank of a distributed training. */
export const rankSchema = rankBlockSchema.extend({
  rank: count,
  host: z.string(),
  adapter: z.string(),
  /** Address on the PCI bus or UUID of the device; null if unknown. */
  device: z.string().nullable(),
});

/** Network between the ranks, measured at the start. */
export const networkSchema = z.strictObject({
  /** Time of an all-reduce of a few bytes, in ms. */
  latency: milliseconds,
  /** Bytes of gradients per ms that a large all-reduce adds. */
  bandwidth: z.number().positive(),
  /** Time that each further all-reduce adds if several are started together, in ms; missing in earlier results. */
  overhead: milliseconds.optional(),
  /** Bytes of f32 gradients that ranks average in f16 per ms, with the conversions; missing in earlier results. */
  compressed: z.number().positive().optional(),
});

/** Distributed training of a variant. */
export const ranksSchema = z.strictObject({
  size: count,
  /** Speed relative to a rank alone with the same settings, divided by the number of ranks; null without such a variant. */
  efficiency: z.number().nullable(),
  /** Part of the transfers that the device does not hide; null without a transfer. */
  notHidden: z.number().nullable(),
  /** Longest work of a rank / the mean of all, minus 1. */
  imbalance: z.number(),
  /** Rank that the others wait for, and what it takes longer for; null if no rank is slower than the others. */
  straggler: z.strictObject({
    rank: count,
    cause: z.enum(["data", "device", "copies", "host"]),
    /** Time by which it exceeds the median of the others, in ms per step. */
    excess: milliseconds,
  }).nullable(),
  network: networkSchema.nullable(),
  /** Sorted in the order of the backward pass. */
  buckets: z.array(bucketTimesSchema),
  ranks: z.array(rankSchema),
});

export type AllReduce = z.infer<typeof allReduceSchema>;
export type RankBlock = z.infer<typeof rankBlockSchema>;
export type Rank = z.infer<typeof rankSchema>;
export type Network = z.infer<typeof networkSchema>;
export type Ranks = z.infer<typeof ranksSchema>;
