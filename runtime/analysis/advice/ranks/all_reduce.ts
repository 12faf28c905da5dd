import type { Network, Ranks } from "../../../result/ranks.ts";
import type { Settings } from "../settings.ts";

/** All-reduce of a distributed variant: means of rank 0, in ms per step. */
export interface MeasuredAllReduce {
  readonly ranks: Ranks;
  readonly network: Network;
  readonly overlap: boolean;
  readonly compress: boolean;
  /** Size of the gradients in f32. */
  readonly bytes: number;
  /** Copy of the gradients to the host, with Deno's sleep after it. */
  readonly copyOut: number;
  /** Wait for the samples of a slower rank, which a larger batch makes longer. Other waits come once per step. */
  readonly sampleWait: number;
  /** Transfers that the step waits for. */
  readonly exposed: number;
  /** All-reduce without the wait for other ranks. */
  readonly own: number;
}

/** Returns the all-reduce that rules reason about; null on one rank, and without a measured network. */
export function measuredAllReduce(ranks: Ranks | undefined, { distribute }: Settings): MeasuredAllReduce | null {
  if (ranks === undefined || ranks.network === null || distribute == null) return null;
  const { copyOut, wait, network, copyIn } = ranks.ranks[0]!.allReduce;
  const { cause, excess } = ranks.straggler ?? { cause: null, excess: 0 };
  const compress = distribute.compress != null;
  const sent = ranks.buckets.reduce((sum, bucket) => sum + bucket.bytes, 0);
  return {
    ranks,
    network: ranks.network,
    overlap: distribute.overlap === true,
    compress,
    bytes: compress ? 2 * sent : sent,
    copyOut,
    sampleWait: cause === "data" || cause === "device" ? Math.min(wait, excess) : 0,
    exposed: network,
    own: copyOut + network + copyIn,
  };
}

/**
 * Predicts the time of the all-reduces of a step in ms, from the figures measured at the start. Those that are compressed
 * follow each other, with two operations each, and convert the gradients; others are started together.
 *
 * @param bytes size of the gradients in f32
 */
export function transferTime(network: Network, bytes: number, buckets: number, compress = false): number {
  const { latency, bandwidth, compressed = 2 * bandwidth } = network;
  return compress
    ? 2 * buckets * latency + bytes / compressed
    : latency + (buckets - 1) * overheadOf(network) + bytes / bandwidth;
}

/** Returns the time that each further all-reduce adds, in ms. */
export function overheadOf({ latency, overhead = latency }: Network): number {
  return overhead;
}
