import { DeviceError, DeviceMemoryError } from "../core/errors.ts";
import { formatMemory } from "../core/memory.ts";
import { roundUp } from "../core/round_up.ts";
import { type AdapterInfo, type AdapterRequest, describeDevice, openDevice } from "./adapter.ts";
import { PipelineCache } from "./pipelines.ts";
import { type BufferRange, Readback } from "./readback.ts";
import type { DeviceTraits } from "./traits.ts";

/** Devices by WebGPU device. */
const known = new WeakMap<GPUDevice, Device>();

/**
 * An open device with its pipelines, memory count and errors. GPU errors are silent in Deno, so this class collects them
 * and {@linkcode Device.check} throws them.
 */
export class Device {
  readonly pipelines: PipelineCache;
  /**
   * Operations so far, for tests and reports. `splits` are submissions, each with a wait, that only
   * divide a sink which takes the device too long. `runtimeWait` is the time that Deno slept after the device was done and
   * before the results arrived, in ms.
   */
  readonly counts = {
    submits: 0,
    waits: 0,
    readbacks: 0,
    readbackBytes: 0,
    uploads: 0,
    uploadBytes: 0,
    copies: 0,
    copyBytes: 0,
    newBuffers: 0,
    splits: 0,
    runtimeWait: 0,
  };
  #bytes = 0;
  #waited = -Infinity;
  #error: string | null = null;
  #lost: string | null = null;
  /** Describes the state in which the memory did not suffice; null while it suffices. */
  #full: string | null = null;

  readonly gpu: GPUDevice;
  readonly info: AdapterInfo;
  readonly traits: DeviceTraits;

  constructor(gpu: GPUDevice, info: AdapterInfo, traits: DeviceTraits) {
    this.gpu = gpu;
    this.info = info;
    this.traits = traits;
    known.set(gpu, this);
    this.pipelines = new PipelineCache(gpu);
    gpu.addEventListener("uncapturederror", (event) => {
      const { error } = event as GPUUncapturedErrorEvent;
      if (error instanceof GPUOutOfMemoryError) {
        this.#full ??= `with ${formatMemory(this.#bytes)} in its buffers (${error.message})`;
      } else this.#error ??= error.message;
    });
    gpu.lost.then((lost) => {
      this.#lost ??= `${lost.reason || "unknown"}${lost.message === "" ? "" : `: ${lost.message}`}`;
    });
  }

  /** @throws {DeviceError} if there is no adapter that fits the request, or it refuses a device */
  static async open(request: Omit<AdapterRequest, "probe"> = {}): Promise<Device> {
    const { gpu, info, traits } = await openDevice(request);
    return new Device(gpu, info, traits);
  }

  /** Returns the device of a WebGPU device, which may be one that somebody else opened. */
  static of(gpu: GPUDevice): Device {
    const device = known.get(gpu);
    if (device !== undefined) return device;
    const { info, traits } = describeDevice(gpu);
    return new Device(gpu, info, traits);
  }

  get timestamps(): boolean {
    return this.gpu.features.has("timestamp-query");
  }

  /** True if the device is gone. */
  get lost(): boolean {
    return this.#lost !== null;
  }

  /** `performance.now()` at the end of the last {@linkcode Device.wait}; `-Infinity` before the first. */
  get waited(): number {
    return this.#waited;
  }

  /** Total size of the live buffers, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Creates a buffer of at least `size` bytes, rounded up to a multiple of 16. */
  buffer(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.gpu.createBuffer({ label, size: roundUp(Math.max(size, 16), 16), usage });
    this.#bytes += buffer.size;
    this.counts.newBuffers++;
    return buffer;
  }

  /** Frees a buffer of {@linkcode Device.buffer} immediately. */
  free(buffer: GPUBuffer): void {
    this.#bytes -= buffer.size;
    buffer.destroy();
  }

  /** Uploads data, which may be in shared memory. Offsets and sizes are multiples of 4 bytes. */
  write(buffer: GPUBuffer, offset: number, data: ArrayBufferView): void {
    if (data.byteLength === 0) return; // an empty write ends the process in Deno 2.9
    this.counts.uploads++;
    this.counts.uploadBytes += data.byteLength;
    // writeBuffer accepts views of shared memory, contrary to its type
    this.gpu.queue.writeBuffer(buffer, offset, data as ArrayBufferView<ArrayBuffer>);
  }

  /** Encodes a copy between buffers. Offsets and sizes are multiples of 4 bytes. */
  copy(
    encoder: GPUCommandEncoder,
    from: GPUBuffer,
    offset: number,
    to: GPUBuffer,
    toOffset: number,
    size: number,
  ): void {
    this.counts.copies++;
    this.counts.copyBytes += size;
    encoder.copyBufferToBuffer(from, offset, to, toOffset, size);
  }

  submit(encoder: GPUCommandEncoder): void {
    this.counts.submits++;
    this.gpu.queue.submit([encoder.finish()]);
  }

  /**
   * Blocks until all submitted work is done. The call itself waits for the device; the returned promise resolves about
   * 10 ms later and need not be awaited.
   */
  wait(): Promise<undefined> {
    this.counts.waits++;
    const done = this.gpu.queue.onSubmittedWorkDone() as Promise<undefined>;
    this.#waited = performance.now();
    return done;
  }

  /** Copies ranges of buffers to the host with one submit and one wait. */
  async read(ranges: readonly BufferRange[]): Promise<ArrayBuffer[]> {
    const readback = new Readback(this, ranges);
    const encoder = this.gpu.createCommandEncoder({ label: "readback" });
    readback.encode(encoder);
    this.submit(encoder);
    readback.wait();
    const done = performance.now();
    const bytes = await readback.finish();
    this.counts.runtimeWait += performance.now() - done;
    return bytes;
  }

  /**
   * Lets the device's event listeners run, then checks for errors.
   *
   * @throws {DeviceError} as {@linkcode Device.check}
   */
  async settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.check();
  }

  /** @throws {DeviceError} if the device was lost, has no memory left or refused a command */
  check(): void {
    if (this.#lost !== null) {
      throw new DeviceError(
        `The device was lost (${this.#lost}). Close other users of the GPU or lower batchSize, and run again`,
      );
    }
    if (this.#full !== null) {
      const full = this.#full;
      this.#full = null;
      this.#error = null; // commands on the buffers that it lacks were refused
      throw new DeviceMemoryError(`The device is out of memory ${full}`);
    }
    if (this.#error !== null) {
      const message = this.#error;
      this.#error = null;
      throw new DeviceError(`The GPU refused a command: ${message}`);
    }
  }

  /** Destroys the device and frees everything on it. */
  destroy(): void {
    this.gpu.destroy();
  }
}
