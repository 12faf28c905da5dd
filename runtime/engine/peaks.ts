import { bind } from "../device/bind.ts";
import type { Device } from "../device/device.ts";
import type { KernelSpec } from "../device/kernel.ts";
import { watchOtherLoad } from "../record/other_load.ts";
import type { Peak, Peaks } from "../record/peaks.ts";
import { copyShapes, multiplyAddShapes, OUTPUT_BYTES, type PeakShape } from "./peak_kernels.ts";
import { Stopwatch } from "./stopwatch.ts";

/** Minimum time of a dispatch in ms; clock resolution and launch cost are negligible then. */
const LONG_ENOUGH = 5;
/** Timed runs of a kernel. The fastest counts, because noise can only slow a run down. */
const REPEATS = 5;
/** The copy's size is a multiple of this many bytes, a whole number of workgroups for every kernel. */
const COPY_STEP = 16 * 16 * 256;
/** Size of the copy in bytes, larger than caches; less if the adapter's limits are lower. */
const COPY_BYTES = 128 * 1024 * 1024;

/**
 * Measures the adapter's peak throughput: multiply-adds in f32 and f16, and copies. Takes a few seconds. Uses
 * timestamps, or the host's clock on adapters without them.
 *
 * @param onKernel called before each kernel with the number of those done and of all
 * @returns null if no run could be timed
 */
export async function measurePeaks(
  device: Device,
  onKernel: (done: number, all: number) => void = () => {},
): Promise<Peaks | null> {
  const { traits } = device;
  const [f32Shapes, f16Shapes] = [multiplyAddShapes("f32", traits), traits.f16 ? multiplyAddShapes("f16", traits) : []];
  const copying = copyWork(device);
  const all = f32Shapes.length + f16Shapes.length + copying.shapes.length;
  let done = 0;
  onKernel(0, all);
  const stopwatch = await Stopwatch.calibrated(device);
  const onShape = () => onKernel(++done, all);
  const multiplyAdd = (shapes: readonly PeakShape[]) =>
    best(device, stopwatch, { shapes, sizes: [OUTPUT_BYTES], unit: "FLOP/s", onShape });
  try {
    const f32 = await multiplyAdd(f32Shapes);
    const f16 = f16Shapes.length > 0 ? await multiplyAdd(f16Shapes) : null;
    const copy = await best(device, stopwatch, { ...copying, unit: "bytes/s", onShape });
    if (f32 === null || copy === null) return null;
    return { clock: stopwatch.clock, f32, f16, copy };
  } finally {
    stopwatch.free();
  }
}

/** Returns the copies to time. */
function copyWork({ traits }: Device): Pick<PeakWork, "shapes" | "sizes"> {
  const most = Math.min(COPY_BYTES, traits.maxStorageBindingBytes, traits.maxBufferBytes);
  const bytes = most - most % COPY_STEP;
  return { shapes: copyShapes(bytes, traits), sizes: [bytes, bytes] };
}

/** Kernels of one kind to time. */
interface PeakWork {
  readonly shapes: readonly PeakShape[];
  /** Sizes in bytes of the buffers that the kernels bind. */
  readonly sizes: readonly number[];
  readonly unit: Peak["unit"];
  /** Called after each kernel. */
  readonly onShape: () => void;
}

/** Returns the rate of the fastest kernel, and the conditions of all runs. */
async function best(
  device: Device,
  stopwatch: Stopwatch,
  { shapes, sizes, unit, onShape }: PeakWork,
): Promise<Peak | null> {
  const buffers = sizes.map((size) => device.buffer("peak", size, GPUBufferUsage.STORAGE));
  const load = watchOtherLoad();
  try {
    let fastest: Pick<Peak, "value" | "unit" | "kernel" | "spread"> | null = null;
    for (const shape of shapes) {
      const { kernel, perSecond, spread } = await rateOf(device, stopwatch, shape, buffers);
      if (perSecond > (fastest?.value ?? 0)) fastest = { value: perSecond, unit, kernel, spread };
      onShape();
    }
    return fastest === null ? null : { ...fastest, date: new Date().toISOString(), load: load() };
  } finally {
    for (const buffer of buffers) device.free(buffer);
  }
}

async function rateOf(device: Device, stopwatch: Stopwatch, shape: PeakShape, buffers: readonly GPUBuffer[]) {
  /** Returns the times of some runs in ms, the shortest first. */
  const timesOf = async (kernel: KernelSpec, runs: number) => {
    const bound = await bind(device, [{ kernel, buffers: buffers.map((buffer) => ({ buffer })) }]);
    try {
      return await stopwatch.times(bound, runs);
    } finally {
      bound.free();
    }
  };
  const fastestOf = async (kernel: KernelSpec, runs: number) => (await timesOf(kernel, runs))[0] ?? Infinity;
  let rounds = 16;
  let made = shape(rounds);
  let time = await fastestOf(made.kernel, 2);
  while (time < LONG_ENOUGH) {
    const longer = shape(rounds *= Math.min(64, Math.max(2, Math.ceil(LONG_ENOUGH / Math.max(time, 0.01)))));
    if (longer.work === made.work) break; // A copy does not grow with the rounds
    made = longer;
    time = await fastestOf(made.kernel, 1);
  }
  const times = await timesOf(made.kernel, REPEATS);
  const [fastest = Infinity] = times;
  const spread = times.length === 0 ? null : times[times.length >> 1]! / fastest - 1;
  return { kernel: made.kernel.name, perSecond: made.work / (fastest / 1000), spread };
}
