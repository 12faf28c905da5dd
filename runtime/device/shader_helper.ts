import { DeviceError } from "../core/errors.ts";
import { bind, type BoundDispatch, encodePass } from "./bind.ts";
import { Device } from "./device.ts";
import { type KernelSpec, WINDOW_BYTES } from "./kernel.ts";

/** Size in bytes of a buffer that a shader sees whole. Accesses past its end have no effect. */
const WHOLE_BYTES = WINDOW_BYTES;

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
    const buffers = kernel.bindings.map(({ window = WHOLE_BYTES }, i) => ({ buffer: this.#buffer(i, window) }));
    const { dispatches, free } = await bind(this.#device, [{ kernel, buffers }]);
    this.#frees.push(free);
    const encoder = this.#device.gpu.createCommandEncoder({ label: `compile ${kernel.name}` });
    encodePass(encoder, kernel.name, dispatches.map(fromTheStart));
    this.#device.submit(encoder);
  }

  /** Returns the buffer of a binding, with at least `size` bytes. */
  #buffer(binding: number, size: number): GPUBuffer {
    const made = this.#buffers[binding];
    if (made !== undefined && made.size >= size) return made;
    if (made !== undefined) this.#frees.push(() => this.#device.free(made));
    return this.#buffers[binding] = this.#device.buffer("shader helper", size, GPUBufferUsage.STORAGE);
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

/** Returns the dispatch with a single workgroup and its windows at the start of their buffers. */
function fromTheStart(dispatch: BoundDispatch): BoundDispatch {
  return { ...dispatch, grid: [1, 1, 1], slices: dispatch.slices.slice(0, 1).map((offsets) => offsets.map(() => 0)) };
}
