import type { Device } from "../../device/device.ts";
import { multiplyAddShapes, OUTPUT_BYTES } from "../../engine/peak_kernels.ts";
import { Prepared, type Stopwatch, stopwatchOf } from "../../engine/stopwatch.ts";

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

  private constructor(device: Device, stopwatch: Stopwatch, output: GPUBuffer) {
    this.#device = device;
    this.#stopwatch = stopwatch;
    this.#output = output;
  }

  /** Compiles the kernel and runs it once. */
  static async create(device: Device): Promise<Probe> {
    const output = device.buffer("probe", OUTPUT_BYTES, GPUBufferUsage.STORAGE);
    const probe = new Probe(device, await stopwatchOf(device), output);
    await probe.time();
    return probe;
  }

  /** ms; null where it could not be timed. */
  async time(): Promise<number | null> {
    const { traits } = this.#device;
    const { kernel } = multiplyAddShapes("f32", traits)[0]!(traits.class === "cpu" ? ROUNDS.cpu : ROUNDS.gpu);
    const prepared = await Prepared.create(this.#device, kernel, [this.#output]);
    const time = await this.#stopwatch.fastest(prepared, RUNS);
    return Number.isFinite(time) ? time : null;
  }

  free(): void {
    this.#stopwatch.free();
    this.#device.free(this.#output);
  }
}
