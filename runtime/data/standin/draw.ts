/**
 * The images of the stand-in. Colours, polarity, shading, position, scale and angle are random and independent of the
 * class, except that the pattern is the brighter part more often than not, which gives a linear classifier a small start.
 *
 * @module
 */
import { join } from "node:path";
import { writeFile } from "../../core/files.ts";
import { RandomStream, streamKey } from "../../core/random.ts";
import { STAND_IN_VERSION } from "./cache.ts";
import { CLASS_NAMES, drawPattern } from "./patterns.ts";

/** Side of the stand-in for CIFAR-10, in pixels. Patterns have their size on it. */
const SIDE = 32;
const PLANE = SIDE * SIDE;

/** Bytes of one record. */
export const DRAWN_BYTES = 1 + 3 * PLANE;

const IMAGE_KEY = streamKey(STAND_IN_VERSION, "data/standin/image");
const LABEL_KEY = streamKey(STAND_IN_VERSION, "data/standin/labels");

/** Smallest difference between the two colours, summed over red, green and blue. */
const MIN_CONTRAST = 200;

/** Probability that the pattern has the brighter of the two colours. */
const BRIGHT_PATTERN = 0.75;

/** Records between two reports of progress. */
const PROGRESS_RECORDS = 500;

/** Returns the labels of a file of `records`: balanced, in random order. */
export function drawLabels(file: number, records: number): Uint8Array {
  const order = new RandomStream(LABEL_KEY, file).permutation(records);
  return Uint8Array.from(order, (i) => i % CLASS_NAMES.length);
}

/** Draws record `index` of file `file` (0 to 5) to `out` at `offset`: the label, then the red, green and blue planes. */
export function drawRecord(file: number, index: number, label: number, out: Uint8Array, offset: number): void {
  out[offset] = label;
  drawImage(label, new RandomStream(IMAGE_KEY, file, index), out.subarray(offset + 1), RECORD);
}

/** Size and layout of an image. */
export interface Canvas {
  readonly height: number;
  readonly width: number;
  /** Bytes from a value to the same pixel's value in the next channel. */
  readonly plane: number;
  /** Bytes from a value to the next pixel's value in the same channel. */
  readonly stride: number;
  /** The noise is the same in all channels of a pixel, as the grain of a photo is. */
  readonly grey: boolean;
}

const RECORD: Canvas = { height: SIDE, width: SIDE, plane: PLANE, stride: 1, grey: false };

/** Draws an image of a class, with the pattern scaled to its height. */
export function drawImage(label: number, random: RandomStream, out: Uint8Array, canvas: Canvas): void {
  const { height, width, plane, stride, grey } = canvas;
  const pattern = drawPattern(label, random);
  const [ground, figure] = drawColours(random);
  const slopeX = shade(random);
  const slopeY = shade(random);
  const noise = new Noise(random.uint32());
  const scale = SIDE / height;
  let at = 0;
  for (let row = 0; row < height; row++) {
    const y = (row - (height - 1) / 2) * scale;
    for (let column = 0; column < width; column++, at += stride) {
      const x = (column - (width - 1) / 2) * scale;
      const distance = pattern(x, y) / scale;
      const inside = distance < -0.5 ? 1 : distance > 0.5 ? 0 : 0.5 - distance;
      const shading = slopeX * x + slopeY * y;
      let grain = triangular(noise.word());
      for (let channel = 0; channel < 3; channel++) {
        if (channel > 0 && !grey) grain = triangular(noise.word());
        const from = ground[channel]!;
        const value = from + (figure[channel]! - from) * inside + shading + grain;
        out[at + channel * plane] = value < 0 ? 0 : value > 255 ? 255 : value;
      }
    }
  }
}

/** Draws file `file` (0 to 5) with `records` records and writes it to `dir` as `name`. */
export function writeDrawnFile(
  dir: string,
  name: string,
  file: number,
  records: number,
  onRecords: (count: number) => void,
): void {
  const bytes = new Uint8Array(records * DRAWN_BYTES);
  const labels = drawLabels(file, records);
  for (let i = 0; i < records; i++) {
    drawRecord(file, i, labels[i]!, bytes, i * DRAWN_BYTES);
    if ((i + 1) % PROGRESS_RECORDS === 0) onRecords(PROGRESS_RECORDS);
  }
  onRecords(records % PROGRESS_RECORDS);
  writeFile(join(dir, name), bytes, { write: true, createNew: true });
}

/** Returns a slope of shading: at most 20 levels from the centre to the edge. */
function shade(random: RandomStream): number {
  return (random.uniform() - 0.5) * 2.5;
}

/** Returns noise with a triangular distribution over about 20 levels on either side: the sum of two bytes, scaled. */
function triangular(word: number): number {
  return ((word & 255) + ((word >>> 8) & 255) - 255) * 0.08;
}

/** Draws the colours of the background and the pattern. */
function drawColours(random: RandomStream): [number[], number[]] {
  for (;;) {
    const a = [0, 0, 0].map(() => random.below(256));
    const b = [0, 0, 0].map(() => random.below(256));
    const contrast = a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0);
    if (contrast < MIN_CONTRAST) continue;
    const bright = random.uniform() < BRIGHT_PATTERN;
    return (brightness(a) < brightness(b)) === bright ? [a, b] : [b, a];
  }
}

function brightness(colour: readonly number[]): number {
  return colour.reduce((sum, value) => sum + value, 0);
}

/** Fast 32-bit words for the pixels of one image: xorshift (G. Marsaglia, "Xorshift RNGs", 2003) with a keyed seed. */
class Noise {
  #state: number;

  constructor(state: number) {
    this.#state = state | 1;
  }

  /** Returns a random 32-bit word, as a signed integer. */
  word(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x;
  }
}
