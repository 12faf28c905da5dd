import type { Cluster } from "./cluster.ts";

/** Bytes of a large all-reduce. */
const LARGE = 4 * 2 ** 20;

/** All-reduces of each size; the fastest counts, since other programs only slow them down. */
const REPEATS = 5;

/** Latency of an all-reduce in ms, and the bytes of gradients that it adds per ms. */
export interface NetworkSpeed {
  readonly latency: number;
  readonly bandwidth: number;
}

/** Times all-reduces of 4 bytes and of 4 MiB. All ranks return the figures of rank 0. */
export async function measureNetwork(cluster: Pick<Cluster, "rank" | "sumGradients" | "sum">): Promise<NetworkSpeed> {
  const latency = await fastest(cluster, 4);
  const large = await fastest(cluster, LARGE);
  const own = cluster.rank === 0 ? [latency, (LARGE - 4) / Math.max(large - latency, 1e-3)] : [0, 0];
  const [first, second] = await cluster.sum(own);
  return { latency: first!, bandwidth: second! };
}

async function fastest(cluster: Pick<Cluster, "sumGradients">, bytes: number): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < REPEATS; i++) {
    const { ready, done } = await cluster.sumGradients(new Float32Array(new SharedArrayBuffer(bytes)));
    least = Math.min(least, done - ready);
  }
  return least;
}
