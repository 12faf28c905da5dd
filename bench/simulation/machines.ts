import type { RandomStream } from "../../runtime/core/random.ts";
import type { Noise } from "./fit.ts";

/** A source of noise. */
export interface Machine {
  readonly name: string;
  /** Logs by which the wall times of consecutive blocks are off. */
  sample(random: RandomStream, blocks: number): Float64Array;
  /** Standard deviation of what an arm is off by in all of its blocks. */
  readonly offsets: number;
}

/** No block takes more than some 20 times another. */
const LARGEST = 3;

/** Blocks that are replayed in a row. */
const REPLAYED = 12;

/** Machines that each have one kind of noise, fitted to a recording, on top of what neighbouring blocks differ by. */
export function machinesOf(name: string, noise: Noise): Machine[] {
  const { series, white, drift, bursts, levels, freedom, step } = noise;
  const machine = (kind: string, fill: (random: RandomStream, out: Float64Array) => void): Machine => ({
    name: `${name}, ${kind}`,
    offsets: 0,
    sample: (random, blocks) => {
      const out = Float64Array.from({ length: blocks }, () => white * random.normal());
      fill(random, out);
      return out;
    },
  });
  return [
    machine("steady", () => {}),
    machine("replayed", (random, out) => {
      for (let i = 0, at = 0; i < out.length; i++, at++) {
        if (i % REPLAYED === 0) at = random.below(series.length);
        out[i] = series[at % series.length]!;
      }
    }),
    machine("drift", (random, out) => {
      const { size, correlation } = drift;
      for (let i = 0, level = size * random.normal(); i < out.length; i++) {
        out[i]! += level;
        level = correlation * level + size * Math.sqrt(1 - correlation ** 2) * random.normal();
      }
    }),
    machine("random walk", (random, out) => {
      // As far between two neighbours as the drift goes
      const size = drift.size * Math.sqrt(2 * (1 - drift.correlation));
      for (let i = 0, level = 0; i < out.length; i++, level += size * random.normal()) out[i]! += level;
    }),
    machine("bursts", (random, out) => {
      for (let i = 0; i < out.length; i++) {
        if (random.uniform() < bursts.share) out[i]! -= bursts.size * Math.log(1 - random.uniform());
      }
    }),
    machine("two levels", (random, out) => {
      const { gap, upper, switches } = levels;
      let high = random.uniform() < upper;
      for (let i = 0; i < out.length; i++) {
        if (high) out[i]! += gap;
        // Each level is left so often that `switches` and `upper` hold over time
        if (random.uniform() < switches / 2 / (high ? upper : 1 - upper)) high = !high;
      }
    }),
    machine("heavy tails", (random, out) => {
      for (let i = 0; i < out.length; i++) {
        out[i]! = Math.max(-LARGEST, Math.min(LARGEST, white * studentT(random, freedom)));
      }
    }),
    machine("slow then fast", (random, out) => {
      const change = random.below(out.length);
      for (let i = 0; i < change; i++) out[i]! += step;
    }),
    machine("warming up", (_, out) => {
      for (let i = 0; i < out.length; i++) out[i]! += step * Math.exp(-3 * i / out.length);
    }),
  ];
}

/** Steady noise, with arms that differ for good. */
export function unlikeCopies(white: number, offsets: number): Machine {
  return {
    name: `copies ±${(offsets * 100).toFixed(1)} %`,
    offsets,
    sample: (random, blocks) => Float64Array.from({ length: blocks }, () => white * random.normal()),
  };
}

/** A draw from Student's t: a normal over the root of a mean of squares, of a fractional number of them. */
function studentT(random: RandomStream, freedom: number): number {
  // Bailey, "Polar generation of random variates with the t-distribution", Mathematics of Computation 62, 1994
  const u = 1 - random.uniform();
  const angle = 2 * Math.PI * random.uniform();
  return Math.sqrt(freedom * (u ** (-2 / freedom) - 1)) * Math.cos(angle);
}
