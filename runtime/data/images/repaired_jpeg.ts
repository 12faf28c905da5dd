import { isBare, type JpegFrame } from "./jpeg_header.ts";

/** Bytes of a segment from its marker on: its identifier, and JFIF's version or Adobe's colour transform. */
const IDENTIFIER = 4;
const JFIF_VERSION = 9;
const ADOBE_TRANSFORM = 15;

/**
 * Returns a copy of a JPEG without the mistakes of which libjpeg warns although they change no pixel: an unknown JFIF
 * version or colour transform, scan parameters that only progressive files use, stray bytes between segments, and a missing
 * end marker. What it still warns about concerns the image data.
 */
export function repairedJpeg(bytes: Uint8Array, { progressive }: JpegFrame): Uint8Array {
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
