import type { Image } from "./image.ts";
import { checkJpeg } from "./jpeg_header.ts";
import { TurboJpegDecoder } from "./turbo_jpeg.ts";
import { WasmJpegDecoder } from "./wasm_jpeg.ts";

/**
 * Decodes JPEG files with the system's libjpeg-turbo where it is installed, or else in WebAssembly. Both return the same
 * pixels, bit for bit, for all files that are not damaged.
 */
export class JpegDecoder {
  readonly #wasm: WasmJpegDecoder;
  readonly #turbo: TurboJpegDecoder | null;

  private constructor(wasm: WasmJpegDecoder, turbo: TurboJpegDecoder | null) {
    this.#wasm = wasm;
    this.#turbo = turbo;
  }

  /** @param options.native false leaves the system's library unused */
  static async open({ native = true }: { readonly native?: boolean } = {}): Promise<JpegDecoder> {
    return new JpegDecoder(await WasmJpegDecoder.open(), native ? TurboJpegDecoder.open() : null);
  }

  /** Repairs a decoder that a damaged file has broken, else returns null. Call it before each file. */
  prepare(): Promise<void> | null {
    return this.#wasm.prepare();
  }

  /**
   * Decodes a file. Warnings count as damage: libjpeg fills missing parts with grey.
   *
   * @throws {ImageError} if the file is damaged or of an unsupported kind
   */
  decode(bytes: Uint8Array): Image {
    const frame = checkJpeg(bytes);
    return this.#turbo?.supports(frame) === true
      ? this.#turbo.decode(bytes, frame)
      : this.#wasm.decode(bytes, frame.channels);
  }

  close(): void {
    this.#turbo?.close();
  }
}
