/**
 * The images of the stand-in. Colours, polarity, shading, place, scale and angle are random and say nothing of the
 * class, except that a figure is a little more often the brighter part: a linear classifier gets a small start from that.
 *
 * @module
 */
import { RandomStream } from "../../core/random.ts";
import { streamKey } from "../keys.ts";
import { STAND_IN_VERSION } from "./cache.ts";
import { Noise } from "./noise.ts";
import { CLASS_NAMES, drawPattern } from "./patterns.ts";

const SIDE = 32;
const PLANE = SIDE * SIDE;

/** Bytes of one record. */
export const DRAWN_BYTES = 1 + 3 * PLANE;

const IMAGE_KEY = streamKey(STAND_IN_VERSION, "data/standin/image");
const LABEL_KEY = streamKey(STAND_IN_VERSION, "data/standin/labels");

/** The smallest difference between the two colours, summed over red, green and blue. */
const LEAST_CONTRAST = 200;

/** How often the pattern is the brighter of the two colours. */
const BRIGHT_PATTERN = 0.75;

/** The labels of a file of `records`: each class as often as the others, in random order. */
export function drawLabels(file: number, records: number): Uint8Array {
  const order = new RandomStream(LABEL_KEY, file).permutation(records);
  return Uint8Array.from(order, (i) => i % CLASS_NAMES.length);
}

/** Draws record `index` of file `file` (0 to 5) to `out` at `offset`: the label, then the planes of red, green, blue. */
export function drawRecord(file: number, index: number, label: number, out: Uint8Array, offset: number): void {
  const random = new RandomStream(IMAGE_KEY, file, index);
  const pattern = drawPattern(label, random);
  const [ground, figure] = drawColours(random);
  const slopeX = shade(random);
  const slopeY = shade(random);
  const noise = new Noise(random.uint32());
  out[offset] = label;
  let at = offset + 1;
  for (let row = 0; row < SIDE; row++) {
    const y = row - (SIDE - 1) / 2;
    for (let column = 0; column < SIDE; column++, at++) {
      const x = column - (SIDE - 1) / 2;
      const distance = pattern(x, y);
      const inside = distance < -0.5 ? 1 : distance > 0.5 ? 0 : 0.5 - distance;
      const shading = slopeX * x + slopeY * y;
      for (let channel = 0; channel < 3; channel++) {
        const from = ground[channel]!;
        const value = from + (figure[channel]! - from) * inside + shading + triangular(noise.word());
        out[at + channel * PLANE] = value < 0 ? 0 : value > 255 ? 255 : value;
      }
    }
  }
}

/** Shading of at most 20 levels from the centre to the edge. */
function shade(random: RandomStream): number {
  return (random.uniform() - 0.5) * 2.5;
}

/** The sum of two bytes, centred and scaled: a triangle over about 20 levels to either side. */
function triangular(word: number): number {
  return ((word & 255) + ((word >>> 8) & 255) - 255) * 0.08;
}

/** The ground's and the pattern's colour. */
function drawColours(random: RandomStream): [number[], number[]] {
  for (;;) {
    const a = [0, 0, 0].map(() => random.below(256));
    const b = [0, 0, 0].map(() => random.below(256));
    const contrast = a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0);
    if (contrast < LEAST_CONTRAST) continue;
    const bright = random.uniform() < BRIGHT_PATTERN;
    return (brightness(a) < brightness(b)) === bright ? [a, b] : [b, a];
  }
}

function brightness(colour: readonly number[]): number {
  return colour.reduce((sum, value) => sum + value, 0);
}
