import { median } from "../core/statistics.ts";
import { roundUp } from "../core/round_up.ts";
import type { Cluster } from "./cluster.ts";

/** Bytes of a large all-reduce, at least and at most. */
const LARGE = [16 * 2 ** 10, 4 * 2 ** 20] as const;

/**
 * Time of a large all-reduce beyond the latency that is enough, in ms: a slow network takes fewer bytes, so that the start
 * stays short.
 */
const LARGE_MS = 10;

/** Factor between the sizes that are tried. */
const GROWTH = 4;

/** Measurements of each size that is tried. */
const TRIES = 3;

/** Small all-reduces that are started together. */
const TOGETHER = 8;

/** Measurements of each kind. Their median counts. */
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
  const latency = median(await timesOf(cluster, [4]));
  const together = median(await timesOf(cluster, new Array<number>(TOGETHER).fill(4)));
  const bytes = await largeBytes(cluster, latency);
  const large = median(await timesOf(cluster, [bytes]));
  const bandwidth = (bytes - 4) / Math.max(large - latency, 1e-3);
  const overhead = Math.max(0, together - latency) / (TOGETHER - 1);
  const half = median(await timesOfF16(cluster, bytes));
  const compressed = bytes / Math.max(half - 2 * latency, 1e-3);
  const figures = await ofRank0(cluster, [latency, bandwidth, overhead, compressed]);
  return { latency: figures[0]!, bandwidth: figures[1]!, overhead: figures[2]!, compressed: figures[3]! };
}

/**
 * Returns the size of a large all-reduce: one whose transfer takes longer than the latency by enough. Where ranks share
 * cores, the latency is that of turns on a core, and small sizes say nothing about the bandwidth.
 */
async function largeBytes(cluster: Ranks, latency: number): Promise<number> {
  const [least, most] = LARGE;
  for (let bytes = least;; bytes *= GROWTH) {
    if (bytes >= most) return most;
    const [shortest] = await timesOf(cluster, [bytes], TRIES);
    const [excess] = await ofRank0(cluster, [shortest! - latency]);
    if (excess! > LARGE_MS) return bytes;
  }
}

/** Returns the figures of rank 0 on all ranks. */
function ofRank0(cluster: Ranks, own: readonly number[]): Promise<Float64Array> {
  return cluster.sum(cluster.rank === 0 ? own : own.map(() => 0));
}

/** Times all-reduces that are started together, and returns ms, sorted. Their values are new, as gradients are. */
async function timesOf(cluster: Ranks, sizes: readonly number[], repeats = REPEATS): Promise<number[]> {
  const buffers = sizes.map((bytes) => new Float32Array(new SharedArrayBuffer(bytes)));
  return await repeated(repeats, async () => {
    for (const values of buffers) values.fill(1);
    const all = await Promise.all(buffers.map((values) => cluster.sumGradients(values)));
    return Math.max(...all.map(({ done }) => done)) - Math.min(...all.map(({ ready }) => ready));
  });
}

/** Times converting f32 gradients to f16, averaging them, and converting them back, and returns ms, sorted. */
async function timesOfF16(cluster: Ranks, bytes: number): Promise<number[]> {
  const gradients = new Float32Array(bytes / 4);
  const values = new Float16Array(new SharedArrayBuffer(2 * roundUp(gradients.length, cluster.size)));
  return await repeated(REPEATS, async () => {
    gradients.fill(1);
    const start = performance.now();
    values.set(gradients);
    const converted = performance.now();
    const { ready, done } = await cluster.averageF16(values);
    const averaged = performance.now();
    gradients.set(values.subarray(0, gradients.length));
    return converted - start + done - ready + performance.now() - averaged;
  });
}

/** Returns some measurements after a first one. */
async function repeated(repeats: number, time: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i <= repeats; i++) times.push(await time());
  return times.slice(1);
}
