import type { ClockSample } from "../record/clock_fit.ts";
import { ClockTrack } from "../record/clock_track.ts";
import type { Device } from "./device.ts";
import type { BufferRange } from "./readback.ts";

/** Number of brackets to try; the tightest is used. The first ones are slow. */
const TRIES = 12;
/** Maximum number of samples that calibrate a clock. Two are enough if their brackets are tight. */
const CALIBRATION = 6;

/** Clock of a device. Query sets are scarce on some back ends and never released, so there is one for each device. */
interface DeviceClock {
  readonly querySet: GPUQuerySet;
  readonly track: ClockTrack;
}

const clocks = new WeakMap<Device, DeviceClock>();

/** Samples of both clocks whose device times have not been read yet. */
export interface PendingSamples {
  /** Device times; the caller reads them. */
  readonly range: BufferRange;
  /** Adds the samples to the track and returns the best one on its continuous axis; null if none is usable. */
  observe(bytes: ArrayBuffer): ClockSample | null;
  free(): void;
}

/**
 * Samples the device's clock and the host's at one moment, on the continuous axis of {@linkcode clockTrack}. Returns `null`
 * if the device has no timestamps or wrote none. Blocks until the device has finished earlier work, and takes about 20 ms;
 * the first time twice that, and more on a busy machine.
 */
export async function sampleClock(device: Device): Promise<ClockSample | null> {
  if (!device.timestamps) return null;
  const { track } = clockOf(device);
  let latest = await sample(device);
  // Samples in short succession give the rate, before the clock can wrap
  for (let i = 1; i < CALIBRATION && !track.calibrated; i++) latest = await sample(device) ?? latest;
  return latest;
}

/** Returns the continuous time of a device with timestamps, calibrated on the first call. */
export async function clockTrack(device: Device): Promise<ClockTrack> {
  const { track } = clockOf(device);
  if (!track.calibrated) await sampleClock(device);
  return track;
}

/** Number of times that the device's clock has wrapped around or was reset. */
export function clockResets(device: Device): number {
  return clocks.get(device)?.track.resets ?? 0;
}

/**
 * Runs empty timestamped passes, each between a host time before its submit and one after the wait for it. Blocks until the
 * device has finished earlier work.
 */
export function bracketClock(device: Device): PendingSamples {
  const { querySet, track } = clockOf(device);
  device.gpu.queue.onSubmittedWorkDone(); // earlier work would widen the bracket
  const brackets = Array.from({ length: TRIES }, (_, i) => bracket(device, querySet, i));
  const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
  const buffer = device.buffer("clock", querySet.count * 8, usage);
  const encoder = device.gpu.createCommandEncoder({ label: "clock" });
  encoder.resolveQuerySet(querySet, 0, querySet.count, buffer, 0);
  device.gpu.queue.submit([encoder.finish()]);
  return {
    range: { buffer, offset: 0, size: querySet.count * 8 },
    observe: (bytes) => {
      const values = new BigUint64Array(bytes);
      return track.observe(
        brackets.flatMap(({ before, after }, i) => sampleOf(before, after, values[2 * i]!, values[2 * i + 1]!) ?? []),
      );
    },
    free: () => device.free(buffer),
  };
}

async function sample(device: Device): Promise<ClockSample | null> {
  const pending = bracketClock(device);
  try {
    const [bytes] = await device.read([pending.range]);
    return pending.observe(bytes!);
  } finally {
    pending.free();
  }
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

function clockOf(device: Device): DeviceClock {
  let clock = clocks.get(device);
  if (clock === undefined) {
    const querySet = device.gpu.createQuerySet({ label: "clock", type: "timestamp", count: 2 * TRIES });
    clocks.set(device, clock = { querySet, track: new ClockTrack() });
  }
  return clock;
}
