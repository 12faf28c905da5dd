import { type Image, ImageError, MAX_PIXELS } from "./image.ts";

/** Unsupported frames, by the second byte of their marker. */
const UNSUPPORTED: Readonly<Record<number, string>> = {
  0xc3: "lossless",
  0xc5: "hierarchical",
  0xc6: "hierarchical",
  0xc7: "hierarchical",
  0xc9: "arithmetic-coded",
  0xca: "arithmetic-coded",
  0xcb: "arithmetic-coded",
  0xcd: "arithmetic-coded",
  0xce: "arithmetic-coded",
  0xcf: "arithmetic-coded",
};

/** Largest number of pixels per byte: a block of 64 takes a bit, and colour has a quarter of the blocks. */
const PIXELS_PER_BYTE = 2048;

/** Header of an image. */
export interface JpegFrame extends Pick<Image, "width" | "height" | "channels"> {
  /** True for four components: CMYK or YCCK colours. */
  readonly cmyk: boolean;
  readonly progressive: boolean;
  /** True if the file has an end marker behind its image data. */
  readonly ended: boolean;
  /** Sampling factors of each component: the horizontal one times 16 plus the vertical one. */
  readonly sampling: readonly number[];
}

/**
 * Returns the frame header of a JPEG.
 *
 * @throws {ImageError} if the file is damaged or of an unsupported kind
 */
export function checkJpeg(bytes: Uint8Array): JpegFrame {
  let at = 2;
  while (at + 4 <= bytes.length) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      at++; // padding or stray bytes
      continue;
    }
    if (isBare(marker)) {
      at += 2;
      continue;
    }
    const length = bytes[at + 2]! << 8 | bytes[at + 3]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return checkFrame(bytes, at, marker);
    if (marker === 0xd9 || marker === 0xda) throw new ImageError("broken JPEG: image data comes before the frame");
    if (length < 2) throw new ImageError(`broken JPEG: segment of ${length} bytes at byte ${at}`);
    at += 2 + length;
  }
  throw new ImageError("truncated JPEG: it ends before the frame");
}

/** Returns true for a marker without a segment: a restart marker or TEM. */
export function isBare(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7 || marker === 0x01;
}

function checkFrame(bytes: Uint8Array, at: number, marker: number): JpegFrame {
  if (at + 10 > bytes.length) throw new ImageError("truncated JPEG: it ends within the frame");
  const unsupported = UNSUPPORTED[marker];
  if (unsupported !== undefined) {
    throw new ImageError(`${unsupported} JPEG; expected a baseline or progressive one with Huffman codes`);
  }
  const precision = bytes[at + 4]!;
  if (precision !== 8) throw new ImageError(`JPEG of ${precision} bits a channel; expected 8`);
  const height = bytes[at + 5]! << 8 | bytes[at + 6]!;
  const width = bytes[at + 7]! << 8 | bytes[at + 8]!;
  if (height === 0 || width === 0 || height * width > Math.min(MAX_PIXELS, PIXELS_PER_BYTE * bytes.length)) {
    throw new ImageError(`broken JPEG: its size is ${width} x ${height}, but it has only ${bytes.length} bytes`);
  }
  const components = bytes[at + 9]!;
  if (components !== 1 && components !== 3 && components !== 4) {
    throw new ImageError(`JPEG with ${components} components; expected grey, RGB or CMYK`);
  }
  return {
    width,
    height,
    channels: components === 1 ? 1 : 3,
    cmyk: components === 4,
    progressive: marker === 0xc2,
    ended: hasEnd(bytes, at),
    sampling: Array.from({ length: components }, (_, i) => bytes[at + 11 + 3 * i] ?? 0),
  };
}

/** Returns true if there is an end marker after byte `from`. Image data never contains its two bytes. */
function hasEnd(bytes: Uint8Array, from: number): boolean {
  let at = bytes.length;
  do at = bytes.lastIndexOf(0xd9, at - 1); while (at > from && bytes[at - 1] !== 0xff);
  return at > from;
}
