import makeModule from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import { type Image, ImageError } from "./image.ts";

interface Module {
  decode(data: Uint8Array, preserveOrientation: boolean): { data: Uint8ClampedArray; width: number; height: number };
}

/**
 * JPEG files, decoded by MozJPEG (libjpeg) in WebAssembly: three times as fast as jpeg-js, and bit for bit the same
 * pixels as Pillow.
 */
export class WasmJpegDecoder {
  #module: Module;
  /** Warnings and errors that the decoder writes to its stderr. */
  readonly #messages: string[];
  /** The module has aborted on a file. Its state is undefined then: the next file could hang. */
  #broken = false;

  private constructor(module: Module, messages: string[]) {
    this.#module = module;
    this.#messages = messages;
  }

  static async open(): Promise<WasmJpegDecoder> {
    const messages: string[] = [];
    return new WasmJpegDecoder(await load(messages), messages);
  }

  /** Reloads a broken module, in about 7 ms. */
  prepare(): Promise<void> | null {
    if (!this.#broken) return null;
    return load(this.#messages).then((module) => {
      this.#module = module;
      this.#broken = false;
    });
  }

  /**
   * Decodes a file, with the first of libjpeg's warnings as the image's warning.
   *
   * @throws {ImageError} if libjpeg cannot decode it
   */
  decode(bytes: Uint8Array, channels: 1 | 3): Image {
    if (this.#broken) throw new Error("The decoder was not prepared");
    this.#messages.length = 0;
    let decoded: ReturnType<Module["decode"]>;
    try {
      decoded = this.#module.decode(bytes, false);
    } catch (error) {
      this.#broken = true;
      throw new ImageError(`broken JPEG: ${this.#messages.join("; ") || String(error)}`);
    }
    const { data, width, height } = decoded;
    const pixels = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const [warning] = this.#messages;
    return { data: pixels, width, height, channels, step: 4, ...warning !== undefined && { warning } };
  }
}

async function load(messages: string[]): Promise<Module> {
  return await makeModule({ noInitialRun: true, printErr: (text: string) => messages.push(text) }) as unknown as Module;
}
