import { bind } from "../device/bind.ts";
import type { Device } from "../device/device.ts";
import type { KernelSpec } from "../device/kernel.ts";
import type { Peak, Peaks } from "../record/peaks.ts";
import { copyShapes, multiplyAddShapes, OUTPUT_BYTES, type PeakShape } from "./peak_kernels.ts";
import { Stopwatch } from "./stopwatch.ts";

/** A dispatch is made so long that clocks and launches do not matter: ms. */
const LONG_ENOUGH = 5;
/** Runs of a shape, of which the fastest counts: nothing can make a run too fast. */
const REPEATS = 5;
/** A whole number of workgroups of every shape. */
const COPY_STEP = 16 * 16 * 256;
/** More than caches hold, where the adapter grants it. */
const COPY_BYTES = 128 * 1024 * 1024;

/**
 * Measures what the adapter can do at most, in some seconds: multiply-adds in f32 and f16, and copies. Times are the
 * device's, or the host's where there are no timestamps; `null` where no run could be timed.
 */
export async function measurePeaks(device: Device): Promise<Peaks | null> {
  const stopwatch = await Stopwatch.calibrated(device);
  const multiplyAdd = (type: "f32" | "f16") =>
    best(device, stopwatch, multiplyAddShapes(type, device.traits), [OUTPUT_BYTES], "FLOP/s");
  try {
    const f32 = await multiplyAdd("f32");
    const f16 = device.traits.f16 ? await multiplyAdd("f16") : null;
    const copy = await bestCopy(device, stopwatch);
    if (f32 === null || copy === null) return null;
    return { date: new Date().toISOString(), clock: stopwatch.clock, f32, f16, copy };
  } finally {
    stopwatch.free();
  }
}

function bestCopy(device: Device, stopwatch: Stopwatch): Promise<Peak | null> {
  const { maxStorageBindingBytes, maxBufferBytes } = device.traits;
  const most = Math.min(COPY_BYTES, maxStorageBindingBytes, maxBufferBytes);
  const bytes = most - most % COPY_STEP;
  return best(device, stopwatch, copyShapes(bytes, device.traits), [bytes, bytes], "bytes/s");
}

/** The fastest of several kernels for the same work; `sizes` are the bytes of the buffers they bind. */
async function best(
  device: Device,
  stopwatch: Stopwatch,
  shapes: readonly PeakShape[],
  sizes: readonly number[],
  unit: Peak["unit"],
): Promise<Peak | null> {
  const buffers = sizes.map((size) => device.buffer("peak", size, GPUBufferUsage.STORAGE));
  try {
    let fastest: Peak | null = null;
    for (const shape of shapes) {
      const { kernel, perSecond } = await rateOf(device, stopwatch, shape, buffers);
      if (perSecond > (fastest?.value ?? 0)) fastest = { value: perSecond, unit, kernel };
    }
    return fastest;
  } finally {
    for (const buffer of buffers) device.free(buffer);
  }
}

async function rateOf(device: Device, stopwatch: Stopwatch, shape: PeakShape, buffers: readonly GPUBuffer[]) {
  const fastestOf = async (kernel: KernelSpec, runs: number) => {
    const bound = await bind(device, [{ kernel, buffers: buffers.map((buffer) => ({ buffer })) }]);
    try {
      return await stopwatch.fastest(bound, runs);
    } finally {
      bound.free();
    }
  };
  let rounds = 16;
  let made = shape(rounds);
  let time = await fastestOf(made.kernel, 2);
  while (time < LONG_ENOUGH) {
    const longer = shape(rounds *= Math.min(64, Math.max(2, Math.ceil(LONG_ENOUGH / Math.max(time, 0.01)))));
    if (longer.work === made.work) break; // its length is given, as that of a copy
    made = longer;
    time = await fastestOf(made.kernel, 1);
  }
  const fastest = await fastestOf(made.kernel, REPEATS);
  return { kernel: made.kernel.name, perSecond: made.work / (fastest / 1000) };
}
