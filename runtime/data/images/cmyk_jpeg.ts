import { decode } from "jpeg-js";
import { type Image, ImageError, MAX_PIXELS } from "./image.ts";
import type { JpegFrame } from "./jpeg_header.ts";

/** Adobe's segment for CMYK without a colour transform. */
const ADOBE = [0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0];

/**
 * Decodes a JPEG with CMYK or YCCK colours to RGB, as Pillow does: without ICC profiles, and with inverted values, which is
 * how Adobe's programs write them.
 *
 * @throws {ImageError} if the file is damaged
 */
export function decodeCmykJpeg(bytes: Uint8Array, { ended }: JpegFrame): Image {
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
