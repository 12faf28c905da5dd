import { type Image, ImageError, MAX_PIXELS } from "./image.ts";
import { checkJpeg, isBare, type JpegFrame } from "./jpeg_header.ts";
import { TurboJpegDecoder } from "./turbo_jpeg.ts";
import { WasmJpegDecoder } from "./wasm_jpeg.ts";
import { decode } from "jpeg-js";

/** Adobe's segment for CMYK without a colour transform. */
const ADOBE = [0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0];

/** Warnings of libjpeg after which no image data is missing. */
const HARMLESS = /extraneous bytes before marker|inconsistent progression sequence/i;

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
   * Decodes a file. A file that breaks a rule of the format without lacking image data gets a warning.
   *
   * @throws {ImageError} if image data is damaged or missing, or the file is of an unsupported kind
   */
  decode(bytes: Uint8Array): Image {
    const frame = checkJpeg(bytes);
    if (frame.cmyk) return decodeCmykJpeg(bytes, frame);
    return (this.#turbo?.supports(frame) ? this.#turbo.decode(bytes, frame) : null) ?? this.#tolerant(bytes, frame);
  }

  /** Decodes a file that may cause warnings. libjpeg fills missing parts with grey, and reports the first warning only. */
  #tolerant(bytes: Uint8Array, frame: JpegFrame): Image {
    const { ended, progressive, channels } = frame;
    const first = this.#wasm.decode(bytes, channels);
    if (first.warning === undefined) return first;
    const repaired = this.#wasm.decode(repairedJpeg(bytes, frame), channels);
    // Without an end marker, nothing tells whether a progressive file has all of its scans
    const whole = repaired.warning === undefined ? ended || !progressive : ended && HARMLESS.test(repaired.warning);
    if (whole) return { ...repaired, warning: first.warning };
    throw new ImageError(
      ended
        ? `broken JPEG: ${repaired.warning}`
        : "truncated JPEG: image data is missing, or the end marker of a progressive file",
    );
  }

  close(): void {
    this.#turbo?.close();
  }
}

/**
 * Decodes a JPEG with CMYK or YCCK colours to RGB, as Pillow does: without ICC profiles, and with inverted values, which is
 * how Adobe's programs write them.
 *
 * @throws {ImageError} if the file is damaged
 */
function decodeCmykJpeg(bytes: Uint8Array, { ended }: JpegFrame): Image {
  if (!ended) throw new ImageError("truncated JPEG: it has no end marker");
  // jpeg-js refuses four components without Adobe's segment. The last one counts
  const marked = new Uint8Array(bytes.length + ADOBE.length);
  marked.set(bytes.subarray(0, 2));
  marked.set(ADOBE, 2);
  marked.set(bytes.subarray(2), 2 + ADOBE.length);
  try {
    const { width, height, data } = decode(marked, {
      useTArray: true,
      formatAsRGBA: false,
      tolerantDecoding: false,
      maxResolutionInMP: MAX_PIXELS / 1e6,
      maxMemoryUsageInMB: 4096,
    });
    return { data, width, height, channels: 3, step: 3 };
  } catch (error) {
    throw new ImageError(`broken JPEG: ${error instanceof Error ? error.message : error}`);
  }
}

/** Bytes of a segment from its marker on: its identifier, and JFIF's version or Adobe's colour transform. */
const IDENTIFIER = 4;
const JFIF_VERSION = 9;
const ADOBE_TRANSFORM = 15;

/**
 * Returns a copy of a JPEG without the mistakes that libjpeg warns about although they change no pixel: an unknown JFIF
 * version or colour transform, scan parameters that only progressive files use, stray bytes between segments, and a missing
 * end marker. What it still warns about concerns the image data.
 */
function repairedJpeg(bytes: Uint8Array, { progressive }: JpegFrame): Uint8Array {
  const out = new Uint8Array(bytes.length + 2);
  let length = 0;
  const copy = (begin: number, end: number): Uint8Array => {
    out.set(bytes.subarray(begin, end), length);
    length += end - begin;
    return out.subarray(length - (end - begin), length);
  };
  copy(0, 2);
  for (let at = 2; at + 4 <= bytes.length;) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      at++;
      continue;
    }
    if (marker === 0xd9) break;
    let end = Math.min(bytes.length, isBare(marker) ? at + 2 : at + 2 + (bytes[at + 2]! << 8 | bytes[at + 3]!));
    const segment = copy(at, end);
    if (marker === 0xe0 && begins(segment, "JFIF\0")) segment[JFIF_VERSION] = 1;
    if (marker === 0xee && begins(segment, "Adobe") && segment[ADOBE_TRANSFORM]! > 1) segment[ADOBE_TRANSFORM] = 1;
    if (marker === 0xda) {
      if (!progressive) segment.set([0, 63, 0], segment.length - 3);
      const begin = end;
      end = endOfScan(bytes, begin);
      copy(begin, end);
    }
    at = end;
  }
  out.set([0xff, 0xd9], length);
  return out.subarray(0, length + 2);
}

function begins(segment: Uint8Array, identifier: string): boolean {
  return [...identifier].every((letter, i) => segment[IDENTIFIER + i] === letter.charCodeAt(0));
}

/** Returns the position of the marker that ends a scan. Stuffed bytes, padding and restart markers do not end it. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && !isBare(next)) return at;
  }
  return bytes.length;
}
