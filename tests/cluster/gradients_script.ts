/**
 * Averages values of three ranks, in f32 and compressed to f16, and compares the means with f64. Rank 0 prints the largest
 * error in units of the error that is stated for each, and the offsets of the clocks.
 */
import { joinCluster } from "../../runtime/cluster/cluster.ts";

const COUNT = 3 * 5000;

const cluster = (await joinCluster())!;
const { rank, size } = cluster;

/** A rank's value: of either sign, from 1e-6 to 1e3. */
const valueOf = (rank: number, i: number) => Math.sin(i * 7.3 + rank) * 10 ** (i % 10 - 6);

/** Returns the largest error of the means, relative to the bound that `bound` returns for a value. */
function worst(
  actual: (i: number) => number,
  round: (value: number) => number,
  bound: (magnitude: number, mean: number) => number,
): number {
  let most = 0;
  for (let i = 0; i < COUNT; i++) {
    const values = Array.from({ length: size }, (_, other) => round(valueOf(other, i)));
    const mean = values.reduce((sum, value) => sum + value, 0) / size;
    const magnitude = values.reduce((sum, value) => sum + Math.abs(value), 0) / size;
    most = Math.max(most, Math.abs(actual(i) - mean) / bound(magnitude, mean));
  }
  return most;
}

const sums = new Float32Array(new SharedArrayBuffer(4 * COUNT));
const halves = new Float16Array(new SharedArrayBuffer(2 * COUNT));
for (let i = 0; i < COUNT; i++) sums[i] = halves[i] = valueOf(rank, i);
const first = await cluster.sumGradients(sums);
await cluster.averageF16(halves);
const scale = 1 / size;
const f32 = worst((i) => Math.fround(sums[i]! * scale), Math.fround, (magnitude) => size * 2 ** -24 * magnitude);
const f16 = worst(
  (i) => halves[i]!,
  (value) => value,
  (magnitude, mean) => 2 ** -11 * (magnitude + Math.abs(mean)) + 2 ** -24,
);
const origins = await cluster.numbers(performance.timeOrigin);
const clocks = (await cluster.compareClocks()).map(({ offset, uncertainty }, other) => ({
  offset: offset + origins[other]! - origins[0]!,
  uncertainty,
}));
const ordered = first.posted <= first.ready && first.ready <= first.done;
if (rank === 0) console.log(JSON.stringify({ f32, f16, clocks, ordered }));
await cluster.leave();
