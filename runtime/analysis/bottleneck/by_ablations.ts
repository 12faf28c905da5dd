import type { Bottleneck, StepBound } from "../../result/bottleneck.ts";
import type { MeasuredAblations } from "./measured_ablations.ts";
import { type Shares, sharesOf } from "./shares.ts";

/** Half of the step: without it the step is twice as fast, and all other parts together cannot bring as much. */
const MOST = 0.5;

/**
 * And half as much again as the next: of two parts that take almost the same, the noise of a shared machine (block times
 * differ by a third and more) would choose one.
 */
const LEAD = 1.5;

/** Where all parts together bring less than this, they hide behind each other. */
const HIDDEN = 0.7;

/** What bounds the step, by the part whose removal shortens it most. */
export function readAblations(measured: MeasuredAblations): NonNullable<Bottleneck["byArms"]> {
  return readShares(sharesOf(measured));
}

export function readShares(shares: Shares): NonNullable<Bottleneck["byArms"]> {
  const parts = (Object.entries(shares) as [Exclude<StepBound, "none">, number][]).toSorted((a, b) => b[1] - a[1]);
  const [[bound, most], [, second]] = [parts[0]!, parts[1]!];
  const each = parts.map(([part, share]) => `${part} ${percent(share)}`).join(", ");
  if (most >= MOST && most >= LEAD * second) {
    return {
      bound,
      reason: `without it the step is shorter by ${percent(most)}; ${each.slice(each.indexOf(",") + 2)}`,
    };
  }
  const total = parts.reduce((sum, [, share]) => sum + share, 0);
  const why = total < HIDDEN
    ? "parts overlap, and more than one takes about as long as the step"
    : "no part outweighs the others";
  return { bound: "none", reason: `${why}: without it the step is shorter by ${each}` };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
}
