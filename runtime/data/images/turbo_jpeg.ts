import type { Image } from "./image.ts";
import type { JpegFrame } from "./jpeg_header.ts";

/** Debian's package libturbojpeg0, Fedora's turbojpeg. */
const LIBRARY = "libturbojpeg.so.0";

const SYMBOLS = {
  tjInitDecompress: { parameters: [], result: "pointer" },
  tjDecompress2: {
    parameters: ["pointer", "buffer", "usize", "buffer", "i32", "i32", "i32", "i32", "i32"],
    result: "i32",
  },
  tjDestroy: { parameters: ["pointer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

type Library = Deno.DynamicLibrary<typeof SYMBOLS>;

/** TJPF_RGB and TJPF_GRAY. */
const FORMATS = { 3: 0, 1: 6 } as const;

/** TJFLAG_ACCURATEDCT: the integer transform that libjpeg uses by default. */
const ACCURATE_DCT = 4096;

/**
 * Decodes JPEG files with the system's libjpeg-turbo, whose SIMD code is several times as fast as WebAssembly.
 */
export class TurboJpegDecoder {
  readonly #library: Library;
  /** Null once closed. */
  #handle: Deno.PointerValue;

  private constructor(library: Library, handle: Deno.PointerValue) {
    this.#library = library;
    this.#handle = handle;
  }

  /** Returns null if the system has no libjpeg-turbo, or it may not be called (`--allow-ffi`). */
  static open(): TurboJpegDecoder | null {
    // A permission prompt would interrupt the run
    if (Deno.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return null;
    let library: Library;
    try {
      library = Deno.dlopen(LIBRARY, SYMBOLS);
    } catch {
      return null;
    }
    const handle = library.symbols.tjInitDecompress();
    if (handle !== null) return new TurboJpegDecoder(library, handle);
    library.close();
    return null;
  }

  /**
   * Returns true for grey and for the usual sampling of colours: whole, half the width, or half of both. libjpeg versions
   * enlarge others, which are rare, in different ways.
   */
  supports({ channels, cmyk, sampling: [first, ...others] }: JpegFrame): boolean {
    if (cmyk) return false;
    return channels === 1 || [0x11, 0x21, 0x22].includes(first!) && others.every((factors) => factors === 0x11);
  }

  /** Decodes a file. Returns null after a warning or an error; libjpeg-turbo keeps only the last one. */
  decode(bytes: Uint8Array, { width, height, channels }: JpegFrame): Image | null {
    if (this.#handle === null) throw new Error("The decoder is closed");
    const data = new Uint8Array(width * height * channels);
    const { tjDecompress2 } = this.#library.symbols;
    const size = BigInt(bytes.length);
    const failed = tjDecompress2(
      ...[this.#handle, bytes as Uint8Array<ArrayBuffer>, size, data] as const,
      ...[width, 0, height, FORMATS[channels], ACCURATE_DCT] as const,
    );
    return failed === 0 ? { data, width, height, channels, step: channels } : null;
  }

  close(): void {
    if (this.#handle === null) return;
    this.#library.symbols.tjDestroy(this.#handle);
    this.#handle = null;
    this.#library.close();
  }
}
