import { sharedNow } from "../core/clock.ts";
import type { Mpi } from "./mpi.ts";
import type { Poller } from "./poller.ts";

const TAG = 78;

/** Messages that rank 0 exchanges with each rank; the fastest counts. */
const EXCHANGES = 20;

/**
 * Compares rank 0's clock with each rank's by messages to and fro. Rank 0 assumes that a rank read its clock halfway between
 * the two messages; half of the fastest round trip bounds the error.
 *
 * @param offsets receives on rank 0, for each rank, its clock minus rank 0's and the uncertainty, in ms
 */
export async function compareClocks(
  mpi: Mpi,
  poller: Poller,
  offsets: Float64Array<SharedArrayBuffer>,
): Promise<void> {
  const value = new Float64Array(1);
  const bytes = new Uint8Array(value.buffer);
  for (let rank = 1; rank < mpi.size; rank++) {
    if (mpi.rank !== 0 && mpi.rank !== rank) continue;
    let best = Infinity;
    for (let i = 0; i < EXCHANGES; i++) {
      if (mpi.rank === 0) {
        const sent = sharedNow();
        await poller.transfer(mpi.send(bytes, rank, TAG));
        const received = await poller.transfer(mpi.receive(bytes, rank, TAG));
        const uncertainty = (received - sent) / 2;
        if (uncertainty >= best) continue;
        best = uncertainty;
        offsets[2 * rank] = value[0]! - (sent + received) / 2;
        offsets[2 * rank + 1] = uncertainty;
      } else {
        await poller.complete(mpi.receive(bytes, 0, TAG));
        value[0] = sharedNow();
        await poller.transfer(mpi.send(bytes, 0, TAG));
      }
    }
  }
}
