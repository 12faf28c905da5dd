import { DeviceError } from "../core/errors.ts";
import { bind, encodePass, firstUse } from "./bind.ts";
import { Device } from "./device.ts";
import type { KernelSpec } from "./kernel.ts";

/** Size in bytes of the buffers that shaders run on. Accesses past their end have no effect. */
const BUFFER_BYTES = 65536;

/**
 * Compiles shaders on a second device of the same adapter, while the first compiles others: a device of a software adapter
 * compiles on a single thread. The first device then finds the result in the driver's cache on disk.
 */
export class ShaderHelper {
  readonly #device: Device;
  readonly #buffers: GPUBuffer[] = [];
  readonly #frees: (() => void)[] = [];

  private constructor(device: Device) {
    this.#device = device;
  }

  /** @throws {DeviceError} if the adapter opens no further device */
  static async open(device: Device): Promise<ShaderHelper> {
    return new ShaderHelper(await Device.open({ match: device.info.name }));
  }

  /** Starts to run a kernel with a single workgroup, which compiles its shader, after the kernels started before. */
  async start(kernel: KernelSpec): Promise<void> {
    const buffers = kernel.bindings.map((_, i) => ({ buffer: this.#buffer(i) }));
    const { dispatches, free } = await bind(this.#device, [{ kernel, buffers }]);
    this.#frees.push(free);
    const encoder = this.#device.gpu.createCommandEncoder({ label: `compile ${kernel.name}` });
    encodePass(encoder, kernel.name, dispatches.map(firstUse));
    this.#device.submit(encoder);
  }

  /** Returns the buffer of a binding. */
  #buffer(binding: number): GPUBuffer {
    return this.#buffers[binding] ??= this.#device.buffer("shader helper", BUFFER_BYTES, GPUBufferUsage.STORAGE);
  }

  /** Blocks until the shaders are compiled. */
  wait(): void {
    this.#device.wait();
    for (const free of this.#frees.splice(0)) free();
  }

  /** Returns false if the device is lost or has refused a kernel, and so did not compile it. */
  async works(): Promise<boolean> {
    try {
      await this.#device.settle();
      return true;
    } catch (error) {
      if (error instanceof DeviceError) return false;
      throw error;
    }
  }

  close(): void {
    this.#device.destroy();
  }
}
