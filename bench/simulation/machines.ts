import type { RandomStream } from "../../runtime/core/random.ts";
import type { Noise } from "./fit.ts";

/** A simulated machine as a source of noise. */
export interface Machine {
  readonly name: string;
  /** Returns the errors of consecutive blocks, in logs of the wall time. */
  sample(random: RandomStream, blocks: number): Float64Array;
  /** Standard deviation of the offset of an arm's set-up, or a function that draws one. */
  readonly offsets: number | ((random: RandomStream) => number);
  /** Effect of the first variant on the block that follows: log of its wall time. */
  readonly carryOver?: { readonly size: number; readonly onItself: boolean };
}

/** Largest error in logs: no block takes more than about 20 times another. */
const LARGEST = 3;

/** Number of consecutive blocks that are replayed. */
const REPLAYED = 12;

/**
 * Returns machines with one kind of noise each, fitted to a recording, in addition to the noise of neighbouring blocks.
 */
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
      // Neighbours differ as much as under the drift
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
        // Rates of leaving each level that give `switches` and `upper` over time
        if (random.uniform() < switches / 2 / (high ? upper : 1 - upper)) high = !high;
      }
    }),
    machine("heavy tails", (random, out) => {
      for (let i = 0; i < out.length; i++) {
        out[i]! = heavyTailed(random, white, freedom);
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

/**
 * Returns machines that test the procedure rather than the noise of a recording: bursts on a machine that is quiet otherwise,
 * waves of a period of rounds, and a variant that slows the next block.
 *
 * @param arms in a round
 */
export function madeMachines(arms: number): Machine[] {
  const steady = (white: number) => (random: RandomStream, blocks: number) =>
    Float64Array.from({ length: blocks }, () => white * random.normal());
  const bursts = (share: number, size: number): Machine => ({
    name: `bursts, ${share * 100} % of +${size * 100} %`,
    offsets: 0,
    sample: (random, blocks) =>
      steady(0.02)(random, blocks).map((noise) =>
        noise - (random.uniform() < share ? size * Math.log(1 - random.uniform()) : 0)
      ),
  });
  const wave = (rounds: number): Machine => ({
    name: `wave of ${rounds} rounds`,
    offsets: 0,
    sample: (random, blocks) => {
      const phase = random.uniform();
      return steady(0.01)(random, blocks).map((noise, i) =>
        noise + 0.05 * Math.sin(2 * Math.PI * (i / (rounds * arms) + phase))
      );
    },
  });
  const carrying = (size: number, onItself: boolean): Machine => ({
    name: `carry-over, ${size * 100} %${onItself ? "" : ", not on itself"}`,
    offsets: 0,
    carryOver: { size: Math.log1p(size), onItself },
    sample: steady(0.01),
  });
  return [
    bursts(0.1, 0.4),
    bursts(0.2, 0.4),
    bursts(0.15, 1),
    wave(3),
    wave(2),
    wave(1.5),
    wave(1.25),
    wave(1),
    wave(0.5),
    carrying(0.1, true),
    carrying(0.02, true),
    carrying(0.1, false),
  ];
}

/** Returns a machine with steady noise and arms that differ permanently. */
export function unlikeCopies(white: number, offsets: Machine["offsets"]): Machine {
  return {
    name: typeof offsets === "number" ? `copies ±${(offsets * 100).toFixed(1)} %` : "copies that differ",
    offsets,
    sample: (random, blocks) => Float64Array.from({ length: blocks }, () => white * random.normal()),
  };
}

/** Draws an error of heavy tails. */
export function heavyTailed(random: RandomStream, size: number, freedom: number): number {
  return Math.max(-LARGEST, Math.min(LARGEST, size * studentT(random, freedom)));
}

/** Draws from Student's t with a fractional number of degrees of freedom. */
function studentT(random: RandomStream, freedom: number): number {
  // Bailey, "Polar generation of random variates with the t-distribution", Mathematics of Computation 62, 1994
  const u = 1 - random.uniform();
  const angle = 2 * Math.PI * random.uniform();
  return Math.sqrt(freedom * (u ** (-2 / freedom) - 1)) * Math.cos(angle);
}
