import { roundUp } from "../core/round_up.ts";
import type { Cluster } from "./cluster.ts";

/** Bytes of a large all-reduce, at least and at most. */
const LARGE = [16 * 2 ** 10, 4 * 2 ** 20] as const;

/** Time that a large all-reduce may take, in ms. A slow network takes fewer bytes, so that the start stays short. */
const LARGE_MS = 20;

/** Small all-reduces that are started together. */
const TOGETHER = 8;

/** Measurements of each kind after the first, which sets up connections. Their median counts. */
const REPEATS = 5;

/** Times of all-reduces between the ranks. */
export interface NetworkSpeed {
  /** Time of an all-reduce of a few bytes, in ms. */
  readonly latency: number;
  /** Bytes of gradients that a large all-reduce adds per ms. */
  readonly bandwidth: number;
  /** Time that each further all-reduce adds if several are started together, in ms. */
  readonly overhead: number;
  /** Bytes of f32 gradients that ranks average in f16 per ms, with the conversions. */
  readonly compressed: number;
}

type Ranks = Pick<Cluster, "rank" | "size" | "sumGradients" | "averageF16" | "sum">;

/**
 * Times all-reduces of 4 bytes, alone and several together, and of up to 4 MiB, also in f16. All ranks return the figures of
 * rank 0.
 */
export async function measureNetwork(cluster: Ranks): Promise<NetworkSpeed> {
  const latency = await typical(cluster, [4]);
  const together = await typical(cluster, new Array<number>(TOGETHER).fill(4));
  const bytes = await largeBytes(cluster);
  const large = await typical(cluster, [bytes]);
  const bandwidth = (bytes - 4) / Math.max(large - latency, 1e-3);
  const overhead = Math.max(0, together - latency) / (TOGETHER - 1);
  const compressed = bytes / Math.max(await typicalF16(cluster, bytes) - 2 * latency, 1e-3);
  const figures = await ofRank0(cluster, [latency, bandwidth, overhead, compressed]);
  return { latency: figures[0]!, bandwidth: figures[1]!, overhead: figures[2]!, compressed: figures[3]! };
}

/** Returns the size of a large all-reduce, a multiple of 4 bytes. */
async function largeBytes(cluster: Ranks): Promise<number> {
  const [least, most] = LARGE;
  const { ready, done } = await cluster.sumGradients(new Float32Array(new SharedArrayBuffer(least)));
  const [time] = await ofRank0(cluster, [done - ready]);
  return Math.min(most, Math.max(least, Math.floor(least / 4 * LARGE_MS / Math.max(time!, 1e-3)) * 4));
}

/** Returns the figures of rank 0 on all ranks. */
function ofRank0(cluster: Ranks, own: readonly number[]): Promise<Float64Array> {
  return cluster.sum(cluster.rank === 0 ? own : own.map(() => 0));
}

/** Returns the median time of all-reduces that are started together, in ms. */
async function typical(cluster: Ranks, sizes: readonly number[]): Promise<number> {
  const buffers = sizes.map((bytes) => new Float32Array(new SharedArrayBuffer(bytes)));
  return await medianOf(async () => {
    const all = await Promise.all(buffers.map((values) => cluster.sumGradients(values)));
    return Math.max(...all.map(({ done }) => done)) - Math.min(...all.map(({ ready }) => ready));
  });
}

/** Returns the median time to convert f32 gradients to f16, to average them, and to convert them back, in ms. */
async function typicalF16(cluster: Ranks, bytes: number): Promise<number> {
  const gradients = new Float32Array(bytes / 4);
  const values = new Float16Array(new SharedArrayBuffer(2 * roundUp(gradients.length, cluster.size)));
  return await medianOf(async () => {
    const start = performance.now();
    values.set(gradients);
    const converted = performance.now();
    const { ready, done } = await cluster.averageF16(values);
    const averaged = performance.now();
    gradients.set(values.subarray(0, gradients.length));
    return converted - start + done - ready + performance.now() - averaged;
  });
}

async function medianOf(time: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i <= REPEATS; i++) times.push(await time());
  return times.slice(1).sort((a, b) => a - b)[REPEATS >> 1]!;
}
