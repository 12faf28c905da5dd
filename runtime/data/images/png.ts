/**
 * PNG files. This module checks the chunks and their checksums, the native zlib decompresses and checks the rows, and
 * fast-png decodes them to pixels.
 *
 * @module
 */
import { decode } from "fast-png";
import { zlib } from "../../core/zlib.ts";
import { type Image, ImageError } from "./image.ts";
import { checkPngHeader, type PngHeader, rowBytes } from "./png_header.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Largest stored block of deflate in bytes. */
const STORED_BLOCK_BYTES = 65535;

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/** @throws {ImageError} if the file is damaged or of an unsupported kind */
export function decodePng(bytes: Uint8Array): Image {
  const { header, palette, data } = readChunks(bytes);
  const rows = inflateRows(data, header);
  const { width, height } = header;
  const pixels = unfilter(bytes.subarray(8, 33), rows);
  const values = header.depth < 8 ? unpackBits(pixels as Uint8Array, header) : upperBytes(pixels);
  if (header.colour === "palette") return { data: applyPalette(values, palette!), width, height, channels: 3, step: 3 };
  return { data: values, width, height, channels: header.samples < 3 ? 1 : 3, step: header.samples };
}

interface Chunks {
  readonly header: PngHeader;
  readonly palette: Uint8Array | null;
  /** Compressed rows, in one or more pieces. */
  readonly data: readonly Uint8Array[];
}

function readChunks(bytes: Uint8Array): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: PngHeader | null = null;
  let palette: Uint8Array | null = null;
  const data: Uint8Array[] = [];
  for (let at = 8;;) {
    if (at + 12 > bytes.length) throw new ImageError(`truncated PNG: it ends after ${bytes.length} bytes`);
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const end = at + 8 + length;
    if (end + 4 > bytes.length) throw new ImageError(`truncated PNG: it ends within its ${type} chunk`);
    if (zlib().crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
      throw new ImageError(`broken PNG: the checksum of its ${type} chunk is wrong`);
    }
    const body = bytes.subarray(at + 8, end);
    if (header === null && type !== "IHDR") throw new ImageError(`broken PNG: it begins with ${type}, not with IHDR`);
    if (type === "IHDR") header = checkPngHeader(body);
    else if (type === "PLTE") palette = body;
    else if (type === "IDAT") data.push(body);
    else if (type === "IEND") break;
    at = end + 4;
  }
  if (header!.colour === "palette" && palette === null) throw new ImageError("broken PNG: its palette is missing");
  if (data.length === 0) throw new ImageError("broken PNG: it has no image data");
  return { header: header!, palette, data };
}

/** Decompresses the rows, to exactly the size that follows from the header. */
function inflateRows(data: readonly Uint8Array[], header: PngHeader): Uint8Array {
  const expected = rowBytes(header);
  let rows: Uint8Array;
  try {
    rows = zlib().inflateSync(data.length === 1 ? data[0]! : joined(data), { maxOutputLength: expected + 1 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_BUFFER_TOO_LARGE") throw broken(error);
    throw new ImageError(`broken PNG: it has more than ${expected} bytes of pixels; expected ${expected} for its size`);
  }
  if (rows.length === expected) return rows;
  throw new ImageError(`broken PNG: it has ${rows.length} bytes of pixels; expected ${expected} for its size`);
}

/** @param header the IHDR chunk with its length and checksum */
function unfilter(header: Uint8Array, rows: Uint8Array): Uint8Array | Uint16Array {
  try {
    return decode(storedPng(header, rows)).data as Uint8Array | Uint16Array;
  } catch (error) {
    throw broken(error);
  }
}

/**
 * Builds a PNG with uncompressed rows, so that fast-png has nothing to inflate: its inflate takes twice the time of all
 * the rest. Checksums are left out.
 *
 * @param header the IHDR chunk with its length and checksum
 */
function storedPng(header: Uint8Array, rows: Uint8Array): Uint8Array {
  const blocks = Math.ceil(rows.length / STORED_BLOCK_BYTES);
  const length = 2 + 5 * blocks + rows.length + 4;
  const png = new Uint8Array(8 + header.length + 12 + length + 12);
  const view = new DataView(png.buffer);
  png.set(SIGNATURE);
  png.set(header, 8);
  let at = 8 + header.length;
  view.setUint32(at, length);
  png.set([0x49, 0x44, 0x41, 0x54, 0x78, 0x01], at + 4); // IDAT, and the zlib header
  at += 10;
  for (let from = 0; from < rows.length; from += STORED_BLOCK_BYTES) {
    const count = Math.min(STORED_BLOCK_BYTES, rows.length - from);
    png[at] = from + count === rows.length ? 1 : 0;
    view.setUint16(at + 1, count, true);
    view.setUint16(at + 3, ~count, true);
    png.set(rows.subarray(from, from + count), at + 5);
    at += 5 + count;
  }
  png.set([0x49, 0x45, 0x4e, 0x44], at + 4 + 4 + 4); // IEND
  return png;
}

function broken(error: unknown): ImageError {
  return new ImageError(`broken PNG: ${error instanceof Error ? error.message : error}`);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Reduces values of 16 bits to 8, as libpng does. */
function upperBytes(values: Uint8Array | Uint16Array): Uint8Array {
  return values instanceof Uint16Array ? Uint8Array.from(values, (value) => value >> 8) : values;
}

/** Expands values of 1, 2 or 4 bits to bytes: palette indices unchanged, grey scaled to 0..255. */
function unpackBits(packed: Uint8Array, { width, height, depth, colour }: PngHeader): Uint8Array {
  const out = new Uint8Array(width * height);
  const perRow = Math.ceil(width * depth / 8);
  const mask = (1 << depth) - 1;
  const factor = colour === "palette" ? 1 : 255 / mask;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to++) {
      const bit = x * depth;
      out[to] = (packed[y * perRow + (bit >> 3)]! >> (8 - depth - (bit & 7)) & mask) * factor;
    }
  }
  return out;
}

function applyPalette(indices: Uint8Array, palette: Uint8Array): Uint8Array {
  const out = new Uint8Array(indices.length * 3);
  const colours = Math.floor(palette.length / 3);
  for (let i = 0, to = 0; i < indices.length; i++, to += 3) {
    const index = indices[i]!;
    if (index >= colours) throw new ImageError(`broken PNG: pixel ${i} has colour ${index} of a palette of ${colours}`);
    out[to] = palette[3 * index]!;
    out[to + 1] = palette[3 * index + 1]!;
    out[to + 2] = palette[3 * index + 2]!;
  }
  return out;
}
