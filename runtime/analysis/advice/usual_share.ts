import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import { placeOp } from "../roofline.ts";

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
