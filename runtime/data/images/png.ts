/**
 * PNG files. The chunks and their checksums are looked at here, zlib (which is native, and checks the data) unpacks the
 * rows, and fast-png makes pixels of them.
 *
 * @module
 */
import { crc32, inflateSync } from "node:zlib";
import { decode } from "fast-png";
import { type Image, ImageError } from "./image.ts";
import { checkPngHeader, type PngHeader, rowBytes } from "./png_header.ts";
import { storedPng } from "./png_stored.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/**
 * @throws {ImageError} if the file is damaged or of a kind that is not read
 */
export function decodePng(bytes: Uint8Array): Image {
  const { header, palette, data } = takeApart(bytes);
  const rows = unpack(data, header);
  const { width, height } = header;
  const pixels = unfilter(bytes.subarray(8, 33), rows);
  const values = header.depth < 8 ? unpackBits(pixels, header) : pixels;
  if (header.colour === "palette") return { data: mapped(values, palette!), width, height, channels: 3, step: 3 };
  return { data: values, width, height, channels: header.samples < 3 ? 1 : 3, step: header.samples };
}

interface Parts {
  readonly header: PngHeader;
  readonly palette: Uint8Array | null;
  /** The packed rows, in one piece or several. */
  readonly data: readonly Uint8Array[];
}

function takeApart(bytes: Uint8Array): Parts {
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
    if (crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
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

/** The rows as they were before they were packed, exactly as many bytes as the header asks for. */
function unpack(data: readonly Uint8Array[], header: PngHeader): Uint8Array {
  const expected = rowBytes(header);
  let rows: Uint8Array;
  try {
    rows = inflateSync(data.length === 1 ? data[0]! : joined(data), { maxOutputLength: expected + 1 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_BUFFER_TOO_LARGE") throw broken(error);
    throw new ImageError(`broken PNG: it has more than ${expected} bytes of pixels; expected ${expected} for its size`);
  }
  if (rows.length === expected) return rows;
  throw new ImageError(`broken PNG: it has ${rows.length} bytes of pixels; expected ${expected} for its size`);
}

/** @param header the IHDR chunk with its length and checksum */
function unfilter(header: Uint8Array, rows: Uint8Array): Uint8Array {
  try {
    return decode(storedPng(header, rows)).data as Uint8Array;
  } catch (error) {
    throw broken(error);
  }
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

/** Values of 1, 2 or 4 bits as bytes: palette indices as they are, grey stretched to 0 .. 255. */
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

function mapped(indices: Uint8Array, palette: Uint8Array): Uint8Array {
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
