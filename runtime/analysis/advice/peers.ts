import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { placeOp, roofsOf } from "../roofline.ts";
import { shortest, shortestTime, upperMedian } from "./op_times.ts";

/** An op compared with similar ops on the same adapter. */
export interface Peer {
  readonly op: OpRecord;
  /** Time of its shortest call in ms, which other load on the machine affects less than the median. */
  readonly time: number;
  /** Share of its roof in that time. */
  readonly share: number;
  /** Median share of similar ops, itself included. */
  readonly usual: number;
  /** Number of similar ops, itself included. */
  readonly count: number;
  /** Time of a call at the usual share: ms. */
  readonly possible: number;
}

/** Minimum number of similar ops for a usual share. */
export const MIN_PEERS = 3;

/**
 * Largest ratios of work and of work per byte between similar ops: a convolution of 3 channels cannot reach the share of one
 * with 64, regardless of the kernel.
 */
const WORK = 8;
const INTENSITY = 2;

/** An op below this many launch times is not slow because of its kernel. */
const LAUNCHES = 4;

/** Ops below this fraction of all op time are ignored. */
const MIN = 0.005;

/** Returns the timed ops that take longer than their launch, each compared with similar ops of its type. */
export function peersOf({ ops, bottleneck }: Pick<VariantResult, "ops" | "bottleneck">, peaks: Peaks): Peer[] {
  const roofs = roofsOf(ops, peaks);
  const all = shortestTime(ops);
  const launch = all * (bottleneck?.device?.launch ?? 0) / Math.max(1, ops.length);
  const least = Math.max(all * MIN, launch * LAUNCHES);
  const shareOf = ({ id, median, min }: OpRecord) => roofs.get(id)!.share * median! / shortest({ median, min });
  const timed = ops.filter((op) => roofs.has(op.id) && shortest(op) > least);
  return [...Map.groupBy(timed, ({ type }) => type).values()].flatMap((group) => {
    return group.map((op): Peer => {
      const share = shareOf(op);
      const similar = group.filter((other) => areSimilar(op, other));
      const usual = upperMedian(similar.map(shareOf));
      const time = shortest(op);
      return { op, time, share, usual, count: similar.length, possible: time * Math.min(1, share / usual) };
    });
  });
}

function areSimilar(a: OpRecord, b: OpRecord): boolean {
  const within = (x: number, y: number, factor: number) => x <= factor * y && y <= factor * x;
  const [work, other] = [a.flops ?? 0, b.flops ?? 0];
  return within(work, other, WORK) && within(work * (b.bytes ?? 0), other * (a.bytes ?? 0), INTENSITY);
}

/**
 * Returns the share of the roofline that the ops of a step reach together once they are launched, from 0 to 1; 1 if no op
 * was timed. Ops to come are expected to reach it too.
 *
 * @param launch time to launch a dispatch in ms
 */
export function usualShare(ops: readonly OpRecord[], launch: number, peaks: Peaks): number {
  let [roof, time] = [0, 0];
  for (const op of ops) {
    const own = (op.median ?? 0) - launch * op.dispatches;
    if (own <= 0) continue;
    roof += placeOp(op, peaks)?.attainableTime ?? 0;
    time += own;
  }
  return time === 0 ? 1 : Math.min(1, roof / time);
}
