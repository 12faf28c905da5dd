import type { Network, Ranks } from "../../../result/ranks.ts";
import type { Settings } from "../settings.ts";

/** All-reduce of a distributed variant: means of rank 0, in ms per step. */
export interface MeasuredAllReduce {
  readonly ranks: Ranks;
  readonly network: Network;
  readonly overlap: boolean;
  readonly compress: boolean;
  /** Bytes of gradients that each rank contributes. */
  readonly bytes: number;
  /** Transfers that the step waits for. */
  readonly exposed: number;
  /** All-reduce without the wait for other ranks. */
  readonly own: number;
}

/** Returns the all-reduce that rules reason about; null on one rank, and without a measured network. */
export function measuredAllReduce(ranks: Ranks | undefined, { distribute }: Settings): MeasuredAllReduce | null {
  if (ranks === undefined || ranks.network === null || distribute == null) return null;
  const { copyOut, network, copyIn } = ranks.ranks[0]!.allReduce;
  return {
    ranks,
    network: ranks.network,
    overlap: distribute.overlap === true,
    compress: distribute.compress != null,
    bytes: ranks.buckets.reduce((sum, bucket) => sum + bucket.bytes, 0),
    exposed: network,
    own: copyOut + network + copyIn,
  };
}

/** Predicts the time of all-reduces in ms, from the latency and the bandwidth measured at the start. */
export function transferTime({ latency, bandwidth }: Network, bytes: number, buckets: number): number {
  return buckets * latency + bytes / bandwidth;
}
