import { stagedBatches } from "../../compile/budget.ts";
import type { AdviceContext } from "./context.ts";

/** Bytes of device memory that staged batches may take. */
const MAX_BYTES = 512 * 2 ** 20;

/**
 * Tells whether the batches of sinks of `to` steps fit the device.
 *
 * @param from steps of a sink today, for which the memory of the feed is known
 */
export function stagingFits({ memory }: AdviceContext, from: number, to: number): boolean {
  const batch = (memory?.feed ?? 0) / (1 + stagedBatches(from));
  return stagedBatches(to) * batch <= MAX_BYTES;
}
