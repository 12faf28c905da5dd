import type { ClockSample } from "../record/clock_fit.ts";
import type { Device } from "./device.ts";

/** Number of brackets to try, of which the tightest is used. The first ones are slow. */
const TRIES = 12;

/** Query sets are scarce on some back ends and never released, so each device keeps one for its clock. */
const querySets = new WeakMap<Device, GPUQuerySet>();

/**
 * Samples the device's clock and the host's at one moment: an empty timestamped pass lies between a host time before the
 * submit and one after the wait. Returns `null` if the device has no timestamps or wrote none. Blocks until the device
 * has finished earlier work, and takes about 20 ms.
 */
export async function sampleClock(device: Device): Promise<ClockSample | null> {
  if (!device.timestamps) return null;
  const querySet = querySetOf(device);
  device.wait(); // earlier work would widen the bracket
  const brackets = Array.from({ length: TRIES }, (_, i) => bracket(device, querySet, i));
  const values = await resolve(device, querySet);
  const samples = brackets.map(({ before, after }, i) => sampleOf(before, after, values[2 * i]!, values[2 * i + 1]!));
  return samples.filter((sample) => sample !== null)
    .toSorted((a, b) => a.uncertaintyMs - b.uncertaintyMs)[0] ?? null;
}

/** Takes the middle of the pass, which lies between the two host times. */
function sampleOf(before: number, after: number, begin: bigint, end: bigint): ClockSample | null {
  if (begin === 0n || end < begin) return null;
  return { hostMs: (before + after) / 2, deviceNs: (begin + end) / 2n, uncertaintyMs: (after - before) / 2 };
}

function bracket(device: Device, querySet: GPUQuerySet, index: number): { before: number; after: number } {
  const encoder = device.gpu.createCommandEncoder({ label: "clock" });
  encoder.beginComputePass({
    label: "clock",
    timestampWrites: { querySet, beginningOfPassWriteIndex: 2 * index, endOfPassWriteIndex: 2 * index + 1 },
  }).end();
  const commands = encoder.finish();
  const before = performance.now();
  device.gpu.queue.submit([commands]);
  device.gpu.queue.onSubmittedWorkDone(); // returns when the device is done; its promise comes 10 ms later
  return { before, after: performance.now() };
}

async function resolve(device: Device, querySet: GPUQuerySet): Promise<BigUint64Array> {
  const buffer = device.buffer("clock", querySet.count * 8, GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC);
  try {
    const encoder = device.gpu.createCommandEncoder({ label: "clock" });
    encoder.resolveQuerySet(querySet, 0, querySet.count, buffer, 0);
    device.submit(encoder);
    const [bytes] = await device.read([{ buffer, offset: 0, size: querySet.count * 8 }]);
    return new BigUint64Array(bytes!);
  } finally {
    device.free(buffer);
  }
}

function querySetOf(device: Device): GPUQuerySet {
  let querySet = querySets.get(device);
  if (querySet === undefined) {
    querySet = device.gpu.createQuerySet({ label: "clock", type: "timestamp", count: 2 * TRIES });
    querySets.set(device, querySet);
  }
  return querySet;
}
