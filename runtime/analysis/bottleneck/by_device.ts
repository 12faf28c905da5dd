import type { Bottleneck } from "../../result/bottleneck.ts";
import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import { placeOp } from "../roofline.ts";

/** Minimum fraction of the device time for a bound: more than all others together. */
const MAJORITY = 0.5;

/**
 * Splits the device time of a step into arithmetic and memory, by each op's side of the roofline, and kernel launches, which
 * null kernels still take.
 *
 * @param launch device time with null kernels / with the kernels
 * @returns null if no op can be placed
 */
export function readDevice(ops: readonly OpRecord[], peaks: Peaks, launch: number): Bottleneck["device"] {
  const times = { compute: 0, memory: 0 };
  for (const op of ops) {
    const placement = placeOp(op, peaks);
    if (placement !== null && op.total !== null) times[placement.bound] += op.total;
  }
  const all = times.compute + times.memory;
  if (all <= 0) return null;
  const launched = Math.min(1, Math.max(0, launch));
  const compute = times.compute / all * (1 - launched);
  const memory = times.memory / all * (1 - launched);
  const shares = { compute, memory, launch: launched };
  const [bound, most] = (Object.entries(shares) as [keyof typeof shares, number][]).reduce((a, b) =>
    b[1] > a[1] ? b : a
  );
  const each = Object.entries(shares).map(([name, share]) => `${name} ${(share * 100).toFixed(0)} %`).join(", ");
  return { bound: most > MAJORITY ? bound : "mixed", ...shares, reason: `fractions of the device time: ${each}` };
}
