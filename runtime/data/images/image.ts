/** Decoded image: rows of pixels of `step` bytes, the first `channels` of which are its values. */
export interface Image {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: red, green, blue. */
  readonly channels: 1 | 3;
  readonly step: number;
  /** Problem with the file that leaves the image whole; undefined without one. */
  readonly warning?: string;
}

/** Largest number of pixels; a header with more counts as damaged. */
export const MAX_PIXELS = 1e8;

/** Problem with an image file. The caller adds the path. */
export class ImageError extends Error {
  override name = "ImageError";
}

/**
 * Converts an image to 1 or 3 channels. Grey becomes three equal channels; RGB becomes grey by ITU-R 601 (0.299 R +
 * 0.587 G + 0.114 B, in 16-bit fixed point as in Pillow).
 */
export function withChannels(image: Image, channels: 1 | 3): Image {
  if (image.channels === channels) return image;
  const { data, width, height, step } = image;
  const count = width * height;
  const out = new Uint8Array(count * channels);
  if (channels === 1) {
    for (let i = 0, at = 0; i < count; i++, at += step) {
      out[i] = (data[at]! * 19595 + data[at + 1]! * 38470 + data[at + 2]! * 7471 + 0x8000) >> 16;
    }
  } else {
    for (let i = 0, at = 0, to = 0; i < count; i++, at += step, to += 3) {
      out[to] = out[to + 1] = out[to + 2] = data[at]!;
    }
  }
  return { data: out, width, height, channels, step: channels };
}
