import type { Bottleneck, StepBound } from "../../result/bottleneck.ts";
import type { MeasuredAblations } from "./measured_ablations.ts";
import { type Shares, sharesOf } from "./shares.ts";

/** Minimum fraction of the step for a bound: all other parts together take less. */
const MAJORITY = 0.5;

/**
 * Minimum ratio to the next part. Between two similar parts, the noise of a shared machine, on which block times differ by
 * a third or more, would decide.
 */
const LEAD = 1.5;

/** If the shares of all parts add up to less than this fraction, the parts hide behind each other. */
const HIDDEN = 0.7;

/** Reads the bound of a step from its ablations: the part with the largest attributed share. */
export function readAblations(measured: MeasuredAblations): NonNullable<Bottleneck["byArms"]> {
  return readShares(sharesOf(measured));
}

/** Reads the bound of a step from the shares of its parts. */
export function readShares(shares: Shares): NonNullable<Bottleneck["byArms"]> {
  const parts = (Object.entries(shares) as [Exclude<StepBound, "none">, number][]).toSorted((a, b) => b[1] - a[1]);
  const [[bound, most], [, second]] = [parts[0]!, parts[1]!];
  const each = parts.map(([part, share]) => `${part} ${percent(share)}`).join(", ");
  if (most >= MAJORITY && most >= LEAD * second) {
    return { bound, reason: `attributed: ${each}` };
  }
  const total = parts.reduce((sum, [, share]) => sum + share, 0);
  const why = total < HIDDEN ? "parts overlap, and several take about as long as the step" : "no part dominates";
  return { bound: "none", reason: `${why}; attributed: ${each}` };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
}
