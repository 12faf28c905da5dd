import { bind, type BoundKernels } from "../../device/bind.ts";
import type { Device } from "../../device/device.ts";
import { multiplyAddShapes, OUTPUT_BYTES } from "../../engine/peak_kernels.ts";
import { Stopwatch } from "../../engine/stopwatch.ts";

/** Rounds of multiply-adds, which take some ms on each class of adapter. Fixed, so that times are comparable. */
const ROUNDS = { cpu: 512, gpu: 16 } as const;

/** Runs per measurement. The shortest counts, since other programs slow down single runs. */
const RUNS = 3;

/** Short kernel with fixed work, timed between rounds to detect throttling, since WebGPU does not report clock rates. */
export class Probe {
  readonly #device: Device;
  readonly #stopwatch: Stopwatch;
  readonly #output: GPUBuffer;
  readonly #kernels: BoundKernels;

  private constructor(device: Device, stopwatch: Stopwatch, output: GPUBuffer, kernels: BoundKernels) {
    this.#device = device;
    this.#stopwatch = stopwatch;
    this.#output = output;
    this.#kernels = kernels;
  }

  /** Compiles the kernel and runs it once. */
  static async create(device: Device): Promise<Probe> {
    const output = device.buffer("probe", OUTPUT_BYTES, GPUBufferUsage.STORAGE);
    const { kernel } = multiplyAddShapes("f32", device.traits)[0]!(ROUNDS[device.traits.class]);
    const kernels = await bind(device, [{ kernel, buffers: [{ buffer: output }] }]);
    const probe = new Probe(device, await Stopwatch.calibrated(device), output, kernels);
    await probe.time();
    return probe;
  }

  /** Times the kernel, in ms. Returns null if timing failed. */
  async time(): Promise<number | null> {
    const time = await this.#stopwatch.fastest(this.#kernels, RUNS);
    return Number.isFinite(time) ? time : null;
  }

  free(): void {
    this.#stopwatch.free();
    this.#kernels.free();
    this.#device.free(this.#output);
  }
}
