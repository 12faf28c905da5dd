import { stagedBatches } from "../../compile/budget.ts";
import type { AdviceContext } from "./context.ts";

/** Maximum bytes of device memory for staged batches. */
const MAX_BYTES = 512 * 2 ** 20;

/**
 * Returns true if the batches of sinks of `to` steps fit on the device.
 *
 * @param from current steps per sink, for which the memory of the feed is known
 */
export function stagingFits({ memory }: AdviceContext, from: number, to: number): boolean {
  const batch = (memory?.feed ?? 0) / (1 + stagedBatches(from));
  return stagedBatches(to) * batch <= MAX_BYTES;
}
