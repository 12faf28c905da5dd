import { bind, encodePass, firstUse } from "./bind.ts";
import { Device } from "./device.ts";
import { type KernelSpec, WINDOW_BYTES } from "./kernel.ts";

/** Size of a buffer that a shader runs on, in bytes: the largest window. Accesses past its end have no effect. */
const BUFFER_BYTES = WINDOW_BYTES;

/**
 * Compiles shaders on a second device of the same adapter, while the first compiles others: a device of a software adapter
 * compiles on a single thread. The first device then finds the result in the driver's cache on disk.
 */
export class ShaderHelper {
  readonly #device: Device;
  readonly #buffers: GPUBuffer[] = [];
  #free: (() => void) | null = null;

  private constructor(device: Device) {
    this.#device = device;
  }

  /** @throws {DeviceError} if the adapter opens no further device */
  static async open(device: Device): Promise<ShaderHelper> {
    return new ShaderHelper(await Device.open({ match: device.info.name }));
  }

  /** Starts to run a kernel with a single workgroup, which compiles its shader. */
  async start(kernel: KernelSpec): Promise<void> {
    while (this.#buffers.length < kernel.bindings.length) {
      this.#buffers.push(this.#device.buffer("shader helper", BUFFER_BYTES, GPUBufferUsage.STORAGE));
    }
    const buffers = kernel.bindings.map((_, i) => ({ buffer: this.#buffers[i]! }));
    const { dispatches, free } = await bind(this.#device, [{ kernel, buffers }]);
    this.#free = free;
    const encoder = this.#device.gpu.createCommandEncoder({ label: `compile ${kernel.name}` });
    encodePass(encoder, kernel.name, dispatches.map(firstUse));
    this.#device.submit(encoder);
  }

  /** Blocks until the shader is compiled. */
  wait(): void {
    this.#device.wait();
    this.#free?.();
    this.#free = null;
  }

  close(): void {
    this.#device.destroy();
  }
}
