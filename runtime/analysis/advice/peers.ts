import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { roofsOf } from "../roofline.ts";
import { leastTime, middle, shortest } from "./op_times.ts";

/** An op and what others like it reach on the same adapter. */
export interface Peer {
  readonly op: OpRecord;
  /** ms of its shortest call; means tell more of what else the machine did. */
  readonly time: number;
  /** Of its roof, in that time. */
  readonly share: number;
  /** The middle of those like it, itself among them. */
  readonly usual: number;
  /** Ops like it. */
  readonly count: number;
  /** ms a call, at what is usual. */
  readonly possible: number;
}

/** Of fewer ops that are alike none can be called usual. */
export const ENOUGH = 3;

/**
 * Ops of a type whose work, and whose work for each byte, differ by more than these are not alike: a convolution of 3
 * channels does not reach what one of 64 does, whatever its kernel.
 */
const WORK = 8;
const INTENSITY = 2;

/** An op that takes less than this many times what launching one takes is not slow for its kernel's sake. */
const LAUNCHES = 4;

/** Nor is one worth a look that takes less than this part of all. */
const LEAST = 0.005;

/** The timed ops of the step that are more than their launch, each beside those of its type that are like it. */
export function peersOf({ ops, bottleneck }: Pick<VariantResult, "ops" | "bottleneck">, peaks: Peaks): Peer[] {
  const roofs = roofsOf(ops, peaks);
  const all = leastTime(ops);
  const launch = all * (bottleneck?.device?.launch ?? 0) / Math.max(1, ops.length);
  const least = Math.max(all * LEAST, launch * LAUNCHES);
  const shareOf = ({ id, mean, min }: OpRecord) => roofs.get(id)!.share * mean! / shortest({ mean, min });
  const timed = ops.filter((op) => roofs.has(op.id) && shortest(op) > least);
  return [...Map.groupBy(timed, ({ type }) => type).values()].flatMap((group) => {
    return group.map((op): Peer => {
      const share = shareOf(op);
      const alike = group.filter((other) => areAlike(op, other));
      const usual = middle(alike.map(shareOf));
      const time = shortest(op);
      return { op, time, share, usual, count: alike.length, possible: time * Math.min(1, share / usual) };
    });
  });
}

function areAlike(a: OpRecord, b: OpRecord): boolean {
  const within = (x: number, y: number, factor: number) => x <= factor * y && y <= factor * x;
  const [work, other] = [a.flops ?? 0, b.flops ?? 0];
  return within(work, other, WORK) && within(work * (b.bytes ?? 0), other * (a.bytes ?? 0), INTENSITY);
}
