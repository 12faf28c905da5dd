import type { RandomStream } from "../../core/random.ts";
import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform } from "./transform.ts";
import type { RandomResizedCropOptions, RandomResizedCropSpec } from "./types.ts";
import type { PixelWindow } from "./window.ts";

/** Rectangles to try before falling back to the middle of the image. */
const TRIES = 10;

const schema = ({ record, positiveInteger, antialias, range }: SchemaKit) =>
  record("randomResizedCrop", {
    size: positiveInteger.describe("height and width of the result in pixels"),
    scale: range("parts of the image's area").default([0.08, 1]).describe("smallest and largest part of the area"),
    ratio: range("width / height").default([3 / 4, 4 / 3]).describe("smallest and largest width / height"),
    antialias,
  });

export const randomResizedCropDef = defineTransform({
  kind: "randomResizedCrop",
  schema,
  random: () => true,
  needsImage: true,
  output: ({ size }, input) => ({ ...input, bytes: false, height: size, width: size }),
  action: (spec) => ({
    act: "resample",
    antialias: spec.antialias,
    move: (window, random) => cropAtRandom(spec, window, random),
    size: () => [spec.size, spec.size],
  }),
});

/**
 * Resizes a random rectangle of the image to `size` x `size`. `scale` bounds its area, as parts of the image's area;
 * `ratio` bounds its width / height, drawn uniformly on a logarithmic scale.
 *
 * @throws {InputError} if an option is invalid
 */
export function randomResizedCrop(size: number, options: RandomResizedCropOptions = {}): RandomResizedCropSpec {
  return recordOf(randomResizedCropDef, options, { size });
}

/** Draws a rectangle of random area and ratio with torchvision's algorithm. */
function cropAtRandom({ scale, ratio }: RandomResizedCropSpec, window: PixelWindow, random: RandomStream): void {
  const { height, width } = window;
  const [low, high] = [Math.log(ratio[0]), Math.log(ratio[1])];
  for (let i = 0; i < TRIES; i++) {
    const area = height * width * (scale[0] + (scale[1] - scale[0]) * random.uniform());
    const aspect = Math.exp(low + (high - low) * random.uniform());
    const w = Math.round(Math.sqrt(area * aspect));
    const h = Math.round(Math.sqrt(area / aspect));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    return window.crop(random.below(height - h + 1), random.below(width - w + 1), h, w);
  }
  const whole = width / height;
  const w = whole > ratio[1] ? Math.max(1, Math.round(height * ratio[1])) : width;
  const h = whole < ratio[0] ? Math.max(1, Math.round(width / ratio[0])) : height;
  window.crop((height - h) >> 1, (width - w) >> 1, h, w);
}
