import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import { needsImage } from "./image_checks.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type Pixels, type SamplePass, type SampleType, type SpecOf } from "./transform.ts";

const schema = ({ z, number, delay }: SchemaKit) => {
  const amount = number.min(0, { error: "expected a number of at least 0" });
  return z.strictObject({
    kind: z.literal("colorJitter"),
    brightness: amount.default(0).describe("x: a factor from max(0, 1 - x) to 1 + x"),
    contrast: amount.default(0).describe("x: a factor from max(0, 1 - x) to 1 + x"),
    saturation: amount.default(0).describe("x: a factor from max(0, 1 - x) to 1 + x"),
    hue: amount.max(0.5, { error: "expected at most 0.5" }).default(0).describe("x: a turn from -x to x of the circle"),
    delay,
  });
};

type ColorJitterSpec = SpecOf<typeof schema>;

export const colorJitterDef = defineTransform({
  kind: "colorJitter",
  schema,
  output(_spec, input, place) {
    needsImage(input, "colorJitter", place);
    if (input.channels !== 1 && input.channels !== 3) {
      throw new InputError(`${place}: colorJitter needs images of 1 or 3 channels; these have ${input.channels}`);
    }
    return { ...input, bytes: false };
  },
  action: (spec) => ({ act: "whole", open: (input, _output, key) => new JitterPass(spec, input, key) }),
});

/**
 * The image in other colors, as torchvision's `ColorJitter`: brightness, contrast and saturation times random factors, the
 * hue turned by a random angle, in random order. f32 images are 0 to 1, or 0 to 255 straight after `toF32`. Gray images
 * have no saturation and hue.
 *
 * @throws {InputError} if an option is invalid
 */
export function colorJitter(
  options: { brightness?: number; contrast?: number; saturation?: number; hue?: number } & DelayOption = {},
): ColorJitterSpec {
  return recordOf(colorJitterDef, options);
}

/** Arithmetic is in f32, and bytes are cut off after each change, as in torchvision. */
class JitterPass implements SamplePass {
  readonly #spec: ColorJitterSpec;
  readonly #input: SampleType;
  readonly #key: number;
  /** White. */
  readonly #most: number;
  readonly #store: (x: number) => number;

  constructor(spec: ColorJitterSpec, input: SampleType, key: number) {
    const bytes = input.dtype === "u8";
    const most = bytes || input.bytes ? 255 : 1;
    const clamp = (x: number) => x < 0 ? 0 : x > most ? most : x;
    this.#spec = spec;
    this.#input = input;
    this.#key = key;
    this.#most = most;
    this.#store = bytes ? (x) => Math.trunc(clamp(x)) : clamp;
  }

  run(source: Pixels, epoch: number, sample: number): Pixels {
    const random = new RandomStream(this.#key, epoch, sample);
    const order = random.permutation(4);
    const { brightness, contrast, saturation, hue } = this.#spec;
    const factors = [brightness, contrast, saturation].map((x) => {
      const low = Math.max(0, 1 - x);
      return low + (1 + x - low) * random.uniform();
    });
    const turn = (2 * random.uniform() - 1) * hue;
    const { channels } = this.#input;
    const pixels = source.height! * source.width!;
    const data = source.data.subarray(0, channels * pixels);
    for (const change of order) {
      if (change === 0 && brightness > 0) this.#blend(data, pixels, factors[0]!, () => 0);
      if (change === 1 && contrast > 0) {
        const mean = this.#meanGray(data, pixels);
        this.#blend(data, pixels, factors[1]!, () => mean);
      }
      if (channels === 1) continue;
      if (change === 2 && saturation > 0) this.#blend(data, pixels, factors[2]!, (i) => this.#gray(data, pixels, i));
      if (change === 3 && hue > 0) this.#turn(data, pixels, turn);
    }
    return source;
  }

  /** Where channel c of pixel i is: `i * step + c * plane`. */
  #strides(pixels: number): [step: number, plane: number] {
    return this.#input.order === "hwc" ? [this.#input.channels, 1] : [1, pixels];
  }

  /** `factor` of each value, and the rest of what `other` is for the pixel. */
  #blend(data: Uint8Array | Float32Array, pixels: number, factor: number, other: (i: number) => number): void {
    const [step, plane] = this.#strides(pixels);
    const [own, rest] = [Math.fround(factor), Math.fround(1 - factor)];
    for (let i = 0; i < pixels; i++) {
      const added = Math.fround(rest * other(i));
      for (let c = 0, at = i * step; c < this.#input.channels; c++, at += plane) {
        data[at] = this.#store(Math.fround(Math.fround(own * data[at]!) + added));
      }
    }
  }

  #gray(data: Uint8Array | Float32Array, pixels: number, i: number): number {
    const [step, plane] = this.#strides(pixels);
    const at = i * step;
    if (this.#input.channels === 1) return data[at]!;
    const gray = Math.fround(0.2989 * data[at]! + 0.587 * data[at + plane]! + 0.114 * data[at + 2 * plane]!);
    return data instanceof Uint8Array ? Math.trunc(gray) : gray;
  }

  #meanGray(data: Uint8Array | Float32Array, pixels: number): number {
    let sum = 0;
    for (let i = 0; i < pixels; i++) sum += this.#gray(data, pixels, i);
    return Math.fround(sum / pixels);
  }

  /** Turns the hue by a part of the circle. */
  #turn(data: Uint8Array | Float32Array, pixels: number, part: number): void {
    const [step, plane] = this.#strides(pixels);
    const most = this.#most;
    // Bytes are made of equal parts of 0 to 1, so that the largest is not for 1 alone
    const scale = data instanceof Uint8Array ? 255.999 : most;
    for (let i = 0; i < pixels; i++) {
      const at = i * step;
      const [r, g, b] = [data[at]! / most, data[at + plane]! / most, data[at + 2 * plane]! / most];
      const value = Math.max(r, g, b);
      const range = value - Math.min(r, g, b);
      if (range === 0) continue;
      const sixth = value === r ? (g - b) / range : value === g ? 2 + (b - r) / range : 4 + (r - g) / range;
      const hue = sixth / 6 + part;
      const turned = 6 * (hue - Math.floor(hue));
      for (let c = 0; c < 3; c++) {
        // Each channel is at its largest for 2 of 6 parts around its own hue, and falls over one part to either side
        const away = Math.abs(((turned - 2 * c + 9) % 6) - 3);
        const x = value - range * Math.min(1, Math.max(0, away - 1));
        data[at + c * plane] = this.#store(Math.fround(x * scale));
      }
    }
  }
}
