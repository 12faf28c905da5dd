import type { Mpi } from "./mpi.ts";
import type { Poller } from "./poller.ts";

/**
 * Replaces f16 values by their means over the ranks. Each rank adds one part of the values in f32, in the order of the
 * ranks, so the result is the same on all ranks and in every run. A mean is rounded to f16 once more.
 *
 * Each rank sends 4 (n - 1) / n bytes per value, half of what an f32 all-reduce sends.
 *
 * @param values number of values is a multiple of the ranks'
 * @returns time at which the means are complete
 */
export async function averageF16(
  mpi: Pick<Mpi, "size" | "allToAll" | "allGather">,
  poller: Pick<Poller, "transfer">,
  values: Float16Array<SharedArrayBuffer>,
): Promise<number> {
  const { size } = mpi;
  const count = values.length / size;
  const parts = new Float16Array(values.length);
  await poller.transfer(mpi.allToAll(bytesOf(values), bytesOf(parts)));
  const sums = new Float32Array(count);
  for (let rank = 0; rank < size; rank++) {
    for (let i = 0; i < count; i++) sums[i]! += parts[rank * count + i]!;
  }
  const means = new Float16Array(count);
  for (let i = 0; i < count; i++) means[i] = sums[i]! / size;
  return await poller.transfer(mpi.allGather(bytesOf(means), bytesOf(values)));
}

function bytesOf(values: Float16Array<ArrayBufferLike>): Uint8Array<ArrayBufferLike> {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
