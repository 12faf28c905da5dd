import { type BoundKernels, encodePass } from "../device/bind.ts";
import { sampleClock } from "../device/clock.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import { type ClockFit, fitClock } from "../record/clock_fit.ts";
import { cleanPasses } from "../record/device_samples.ts";

/** Times kernels with timestamps, or on the host's clock if the device has none. */
export class Stopwatch {
  readonly clock: "device" | "host";
  readonly #device: Device;
  readonly #timestamps: TimestampRecorder | null;
  readonly #toMs: (ticks: bigint) => number;
  /** Timed runs since the last read: repeats of the kernels, and the host's time for one repeat in ms. */
  #runs: { repeats: number; host: number }[] = [];
  #last = 0n;

  /** @param fit calibration of a device clock that does not count nanoseconds */
  constructor(device: Device, fit: ClockFit | null = null) {
    this.#device = device;
    this.#timestamps = device.timestamps ? new TimestampRecorder(device) : null;
    this.clock = this.#timestamps === null ? "host" : "device";
    this.#toMs = fit?.toMs ?? ((ticks) => Number(ticks) / 1e6);
  }

  /** Creates a stopwatch with a calibrated device clock. Calibration takes 0.1 s. */
  static async calibrated(device: Device): Promise<Stopwatch> {
    if (!device.timestamps) return new Stopwatch(device);
    const before = await sampleClock(device);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const after = await sampleClock(device);
    return new Stopwatch(device, fitClock([before, after].filter((sample) => sample !== null)));
  }

  /** Runs the kernels `repeats` times in one submit and returns the host's time per run in ms. */
  run({ dispatches }: BoundKernels, { repeats = 1, timed = true } = {}): number {
    const encoder = this.#device.gpu.createCommandEncoder({ label: "stopwatch" });
    encodePass(encoder, "stopwatch", dispatches, timed ? this.#timestamps?.next() : undefined, repeats);
    if (timed) this.#timestamps?.endSubmit(encoder);
    const start = performance.now();
    this.#device.submit(encoder);
    this.#device.wait();
    const host = (performance.now() - start) / repeats;
    if (timed) this.#runs.push({ repeats, host });
    return host;
  }

  /**
   * Reads the times of the runs since the last call, in ms per run of the kernels; null for a run without valid
   * timestamps.
   *
   * @throws {DeviceError} if the device was lost or refused a command
   */
  async read(): Promise<(number | null)[]> {
    const runs = this.#runs;
    this.#runs = [];
    if (this.#timestamps === null) {
      await this.#device.settle();
      return runs.map(({ host }) => host);
    }
    const { passes, last } = cleanPasses(await this.#timestamps.read(), this.#last);
    this.#last = last;
    this.#device.check();
    return passes.map((pass, i) => pass === null ? null : this.#toMs(pass.end - pass.begin) / runs[i]!.repeats);
  }

  /** Returns the shortest of several runs in ms, or `Infinity` if none could be timed. */
  async fastest(kernels: BoundKernels, runs: number): Promise<number> {
    return (await this.times(kernels, runs))[0] ?? Infinity;
  }

  /** Returns the times of several runs in ms, the shortest first, without those that could not be timed. */
  async times(kernels: BoundKernels, runs: number): Promise<number[]> {
    for (let run = 0; run < runs; run++) this.run(kernels);
    return (await this.read()).filter((time) => time !== null).sort((a, b) => a - b);
  }

  free(): void {
    this.#timestamps?.free();
  }
}
