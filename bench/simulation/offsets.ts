import type { RandomStream } from "../../runtime/core/random.ts";
import { heavyTailed } from "./machines.ts";

/** Offsets that an arm may have in each set-up or process, in logs of the wall time. */
export const OFFSETS: Readonly<Record<string, (random: RandomStream) => number>> = {
  "normal, σ of 1 %": (random) => 0.01 * random.normal(),
  "normal, σ of 5 %": (random) => 0.05 * random.normal(),
  "fast, or 8 % slower": (random) => random.uniform() < 0.5 ? Math.log(1.08) : 0,
  "one in four 8 % slower": (random) => random.uniform() < 0.25 ? Math.log(1.08) : 0,
  "three levels, 4 % apart": (random) => 0.04 * random.below(3),
  "heavy-tailed, 2 %": (random) => heavyTailed(random, 0.02, 1),
};
