import { sampleClock } from "../device/clock.ts";
import type { Device } from "../device/device.ts";
import type { KernelSpec } from "../device/kernel.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import { type ClockFit, fitClock } from "../record/clock_fit.ts";
import { cleanPasses } from "../record/device_samples.ts";

/** A kernel with its buffers bound; frees its uniforms after the last run. */
export class Prepared {
  private constructor(
    readonly pipeline: GPUComputePipeline,
    readonly group: GPUBindGroup,
    readonly grid: KernelSpec["grid"],
    readonly free: () => void,
  ) {}

  static async create(device: Device, kernel: KernelSpec, buffers: readonly GPUBuffer[]): Promise<Prepared> {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const uniforms = device.buffer("stopwatch", kernel.uniforms!.byteLength, usage);
    device.write(uniforms, 0, kernel.uniforms!);
    const entries = [...buffers, uniforms].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = device.gpu.createBindGroup({ layout: device.pipelines.layout(kernel), entries });
    return new Prepared(await device.pipelines.get(kernel), group, kernel.grid, () => device.free(uniforms));
  }

  encode(pass: GPUComputePassEncoder): void {
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, this.group);
    pass.dispatchWorkgroups(...this.grid);
  }
}

/** Times kernels by themselves. */
export interface Stopwatch {
  readonly clock: "device" | "host";
  /** The shortest of several runs: ms; `Infinity` where none could be timed. Frees the work afterwards. */
  fastest(work: Prepared, runs: number): Promise<number>;
  free(): void;
}

/** A stopwatch on the device's clock, corrected where that does not count nanoseconds; without timestamps on the host's. */
export async function stopwatchOf(device: Device): Promise<Stopwatch> {
  if (!device.timestamps) return new HostStopwatch(device);
  const before = await sampleClock(device);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const after = await sampleClock(device);
  return new DeviceStopwatch(device, fitClock([before, after].filter((sample) => sample !== null)));
}

class DeviceStopwatch implements Stopwatch {
  readonly clock = "device";
  readonly #device: Device;
  readonly #timestamps: TimestampRecorder;
  readonly #fit: ClockFit | null;
  #last = 0n;

  constructor(device: Device, fit: ClockFit | null) {
    this.#device = device;
    this.#fit = fit;
    this.#timestamps = new TimestampRecorder(device);
  }

  async fastest(work: Prepared, runs: number): Promise<number> {
    for (let run = 0; run < runs; run++) {
      const encoder = this.#device.gpu.createCommandEncoder({ label: "stopwatch" });
      const pass = encoder.beginComputePass({ label: "stopwatch", timestampWrites: this.#timestamps.next() });
      work.encode(pass);
      pass.end();
      this.#timestamps.endSubmit(encoder);
      this.#device.submit(encoder);
      this.#device.wait();
    }
    const { passes, last } = cleanPasses(await this.#timestamps.read(), this.#last);
    this.#last = last;
    work.free();
    this.#device.check();
    const toMs = this.#fit?.toMs ?? ((ticks: bigint) => Number(ticks) / 1e6);
    return Math.min(...passes.map((pass) => pass === null ? Infinity : toMs(pass.end - pass.begin)));
  }

  free(): void {
    this.#timestamps.free();
  }
}

class HostStopwatch implements Stopwatch {
  readonly clock = "host";
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
  }

  async fastest(work: Prepared, runs: number): Promise<number> {
    let fastest = Infinity;
    for (let run = 0; run < runs; run++) {
      const encoder = this.#device.gpu.createCommandEncoder({ label: "stopwatch" });
      const pass = encoder.beginComputePass({ label: "stopwatch" });
      work.encode(pass);
      pass.end();
      const start = performance.now();
      this.#device.submit(encoder);
      this.#device.wait();
      fastest = Math.min(fastest, performance.now() - start);
    }
    work.free();
    await this.#device.settle();
    return fastest;
  }

  free(): void {}
}
