import { type Image, ImageError } from "./image.ts";
import { JpegDecoder } from "./jpeg.ts";
import { decodePng, isPng } from "./png.ts";

/** Unsupported formats that messages name, by their first bytes as text (`?` is any byte). */
const OTHERS: readonly (readonly [name: string, beginning: string])[] = [
  ["a GIF", "GIF8"],
  ["a BMP", "BM"],
  ["a TIFF", "II*\0"],
  ["a TIFF", "MM\0*"],
  ["a WebP", "RIFF????WEBP"],
  ["an AVIF or HEIC", "????ftyp"],
  ["a JPEG 2000", "\0\0\0\x0cjP  "],
  ["a JPEG XL", "\0\0\0\x0cJXL "],
  ["a JPEG XL", "\xff\x0a"],
  ["an SVG", "<svg"],
  ["an HTML", "<!DO"],
];

/** Decodes PNG and JPEG files, detected by their first bytes, on one thread. */
export class ImageDecoder {
  readonly #jpeg: JpegDecoder;

  private constructor(jpeg: JpegDecoder) {
    this.#jpeg = jpeg;
  }

  /** @param jpeg decoder of JPEG files, by default the fastest available */
  static async open(jpeg?: JpegDecoder): Promise<ImageDecoder> {
    return new ImageDecoder(jpeg ?? await JpegDecoder.open());
  }

  /** Reloads the decoder if a damaged file has broken it, else returns null. Call it before each file. */
  prepare(): Promise<void> | null {
    return this.#jpeg.prepare();
  }

  /** @throws {ImageError} if the file is damaged or has an unsupported format */
  decode(bytes: Uint8Array): Image {
    if (isPng(bytes)) return decodePng(bytes);
    if (bytes[0] === 0xff && bytes[1] === 0xd8) return this.#jpeg.decode(bytes);
    throw new ImageError(`${nameOf(bytes)}; expected a PNG or a JPEG`);
  }

  close(): void {
    this.#jpeg.close();
  }
}

function nameOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return "the file is empty";
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  const found = OTHERS.find(([, beginning]) => [...beginning].every((c, i) => c === "?" || c === text[i]));
  if (found !== undefined) return `it is ${found[0]} file`;
  const hex = [...bytes.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `it begins with ${hex}, which is neither a PNG nor a JPEG`;
}
