import type { RandomStream } from "../../runtime/core/random.ts";
import { heavyTailed, type Machine } from "./machines.ts";

/** Noise of machines without a recording, beside that of `madeMachines`: adds to the errors of blocks in order. */
type Fill = (out: Float64Array, random: RandomStream, arms: number) => void;

/** Draws from a Pareto distribution with the least value 1. */
function pareto(random: RandomStream, shape: number): number {
  return (1 - random.uniform()) ** (-1 / shape);
}

function each(add: (i: number, random: RandomStream, arms: number, phase: number, blocks: number) => number): Fill {
  return (out, random, arms) => {
    const phase = random.uniform();
    for (let i = 0; i < out.length; i++) out[i]! += add(i, random, arms, phase, out.length);
  };
}

function sine(rounds: number): Fill {
  return each((i, _, arms, phase) => 0.1 * Math.sin(2 * Math.PI * (i / (rounds * arms) + phase)));
}

function square(rounds: number): Fill {
  return each((i, _, arms, phase) => (i / (rounds * arms) + phase) % 1 < 0.5 ? 0.1 : 0);
}

/** Slows one block in `period` by 20 %; 0: one in each round. */
function pulse(period: number): Fill {
  return each((i, _, arms, phase) => {
    const every = period === 0 ? arms : period;
    return i % every === Math.floor(phase * every) ? Math.log(1.2) : 0;
  });
}

function autoregressive(step: (random: RandomStream) => number): Fill {
  return (out, random) => {
    let level = 0;
    for (let i = -40; i < out.length; i++) {
      level = 0.9 * level + step(random);
      if (i >= 0) out[i]! += level;
    }
  };
}

const FILLS: Readonly<Record<string, Fill>> = {
  "Pareto bursts over several blocks": (out, random, arms) => {
    for (let i = 0; i < out.length; i++) {
      if (random.uniform() >= 0.08) continue;
      const size = Math.log1p(0.1 * pareto(random, 1.1));
      const end = Math.min(out.length, i + 1 - Math.floor(arms * Math.log(1 - random.uniform())));
      for (; i < end; i++) out[i]! += size;
    }
  },
  "Pareto bursts of single blocks": each((_, random) =>
    random.uniform() < 0.15 ? Math.log1p(0.1 * pareto(random, 0.9)) : 0
  ),
  "turbo ends midway": each((i, _, __, phase, blocks) => i > blocks * (1 + phase) / 3 ? 0.26 : 0),
  "sawtooth on a ramp": each((i, _, __, phase, blocks) => 0.3 * i / blocks + 0.08 * ((i / 4.7 + phase) % 1)),
  "AR(1) of 0.9": autoregressive((random) => 0.022 * random.normal()),
  "AR(1) of 0.9, skewed": autoregressive((random) => -0.03 * Math.log(1 - random.uniform())),
  "clock of 10 ms, blocks of 47 ms": (out) =>
    out.forEach((error, i) => out[i] = Math.log(Math.ceil(4.7 * Math.exp(3 * error)) / 4.7)),
  "log-Cauchy": each((_, random) => heavyTailed(random, 0.02, 1)),
  "leak, exponential": each((i, _, __, ___, blocks) => Math.LN2 * Math.expm1(3 * i / blocks) / Math.expm1(3)),
  "first block of each round": each((i, _, arms) => i % arms === 0 ? 0.077 : 0),
  "sine of 10 %, 1.5 rounds": sine(1.5),
  "sine of 10 %, 2.5 rounds": sine(2.5),
  "square of 10 %, 1.5 rounds": square(1.5),
  "square of 10 %, 2.5 rounds": square(2.5),
  "square of 10 %, 4 rounds": square(4),
  "pulse of 20 %, every second block": pulse(2),
  "pulse of 20 %, every third block": pulse(3),
  "pulse of 20 %, once a round": pulse(0),
};

/**
 * Returns machines whose noise is of a kind that no recording shows, beside normal noise of 1 %.
 *
 * @param arms in a round
 */
export function oddMachines(arms: number): Machine[] {
  return Object.entries(FILLS).map(([name, fill]) => ({
    name,
    offsets: 0,
    sample: (random, blocks) => {
      const out = Float64Array.from({ length: blocks }, () => 0.01 * random.normal());
      fill(out, random, arms);
      return out;
    },
  }));
}
