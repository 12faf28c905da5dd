/** An image as a file holds it: rows of pixels of `step` bytes, of which the first `channels` count. */
export interface Image {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: red, green, blue. */
  readonly channels: 1 | 3;
  readonly step: number;
}

/** A file that claims more pixels is taken for damaged. */
export const MOST_PIXELS = 1e8;

/** What is wrong with a file; the caller adds its path. */
export class ImageError extends Error {
  override name = "ImageError";
}

/**
 * The image with so many channels: grey becomes three equal ones; RGB becomes grey by ITU-R 601 (0.299 R + 0.587 G +
 * 0.114 B in 16-bit fixed point, as Pillow has it).
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
