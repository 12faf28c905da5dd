import { bind, type BoundKernels } from "../../device/bind.ts";
import type { Device } from "../../device/device.ts";
import { multiplyAddShapes, OUTPUT_BYTES } from "../../engine/peak_kernels.ts";
import { Stopwatch } from "../../engine/stopwatch.ts";

/** Rounds of multiply-adds: some ms on the adapters of a class. They are fixed, so that times can be compared. */
const ROUNDS = { cpu: 512, gpu: 16 } as const;

/** Runs of the kernel, of which the shortest counts: what other programs take is not the clock rate's doing. */
const RUNS = 3;

/**
 * A short kernel of fixed work, timed between rounds: WebGPU shows no clock rate, and a device that throttles takes longer
 * for it.
 */
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

  /** Times the kernel: ms; null if it could not be timed. */
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
