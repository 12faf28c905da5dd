import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type Pixels, type SamplePass, type SampleType } from "./transform.ts";
import type { ColorJitterOptions, ColorJitterSpec } from "./types.ts";

const schema = ({ record, number }: SchemaKit) => {
  const amount = number.min(0, { error: "expected a number of at least 0" });
  const factor = amount.default(0).describe("x: multiply by a random factor from max(0, 1 - x) to 1 + x");
  return record("colorJitter", {
    brightness: factor,
    contrast: factor,
    saturation: factor,
    hue: amount.max(0.5, { error: "expected at most 0.5" }).default(0)
      .describe("x: rotate the hue by a random fraction of the circle from -x to x"),
  });
};

export const colorJitterDef = defineTransform({
  kind: "colorJitter",
  schema,
  random: () => true,
  needsImage: true,
  output(_spec, input, place) {
    if (input.channels !== 1 && input.channels !== 3) {
      throw new InputError(`${place}: colorJitter needs images of 1 or 3 channels; these have ${input.channels}`);
    }
    return { ...input, bytes: false };
  },
  action: (spec) => ({ act: "whole", open: (input, _output, key) => new JitterPass(spec, input, key) }),
});

/**
 * Varies the colours of an image like torchvision's `ColorJitter`: multiplies brightness, contrast and saturation by
 * random factors and rotates the hue by a random angle, in random order. f32 images range from 0 to 1, or from 0 to 255
 * directly after `toF32`. Grey images have no saturation or hue.
 *
 * @throws {InputError} if an option is invalid
 */
export function colorJitter(options: ColorJitterOptions = {}): ColorJitterSpec {
  return recordOf(colorJitterDef, options);
}

/** Colour changes in f32 arithmetic; bytes are truncated after each change, as in torchvision. */
class JitterPass implements SamplePass {
  readonly #spec: ColorJitterSpec;
  readonly #input: SampleType;
  readonly #key: number;
  /** Value of white. */
  readonly #white: number;
  readonly #store: (x: number) => number;

  constructor(spec: ColorJitterSpec, input: SampleType, key: number) {
    const bytes = input.dtype === "u8";
    const white = bytes || input.bytes ? 255 : 1;
    const clamp = (x: number) => x < 0 ? 0 : x > white ? white : x;
    this.#spec = spec;
    this.#input = input;
    this.#key = key;
    this.#white = white;
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
    const rotation = (2 * random.uniform() - 1) * hue;
    const { channels } = this.#input;
    const pixels = source.height! * source.width!;
    const data = source.data.subarray(0, channels * pixels);
    for (const change of order) {
      if (change === 0 && brightness > 0) this.#blend(data, pixels, factors[0]!, () => 0);
      if (change === 1 && contrast > 0) {
        const mean = this.#meanGrey(data, pixels);
        this.#blend(data, pixels, factors[1]!, () => mean);
      }
      if (channels === 1) continue;
      if (change === 2 && saturation > 0) this.#blend(data, pixels, factors[2]!, (i) => this.#grey(data, pixels, i));
      if (change === 3 && hue > 0) this.#rotateHue(data, pixels, rotation);
    }
    return source;
  }

  /** Strides such that channel c of pixel i lies at `i * step + c * plane`. */
  #strides(pixels: number): [step: number, plane: number] {
    return this.#input.order === "hwc" ? [this.#input.channels, 1] : [1, pixels];
  }

  /** Computes `factor * value + (1 - factor) * other(pixel)` for each value. */
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

  #grey(data: Uint8Array | Float32Array, pixels: number, i: number): number {
    const [step, plane] = this.#strides(pixels);
    const at = i * step;
    if (this.#input.channels === 1) return data[at]!;
    const grey = Math.fround(0.2989 * data[at]! + 0.587 * data[at + plane]! + 0.114 * data[at + 2 * plane]!);
    return data instanceof Uint8Array ? Math.trunc(grey) : grey;
  }

  #meanGrey(data: Uint8Array | Float32Array, pixels: number): number {
    let sum = 0;
    for (let i = 0; i < pixels; i++) sum += this.#grey(data, pixels, i);
    return Math.fround(sum / pixels);
  }

  /** Rotates the hue by a fraction of the circle. */
  #rotateHue(data: Uint8Array | Float32Array, pixels: number, rotation: number): void {
    const [step, plane] = this.#strides(pixels);
    const white = this.#white;
    // 255.999 maps equal parts of 0 to 1 to each byte; 255 would map only 1 to the largest
    const scale = data instanceof Uint8Array ? 255.999 : white;
    for (let i = 0; i < pixels; i++) {
      const at = i * step;
      const [r, g, b] = [data[at]! / white, data[at + plane]! / white, data[at + 2 * plane]! / white];
      const value = Math.max(r, g, b);
      const range = value - Math.min(r, g, b);
      if (range === 0) continue;
      const sixth = value === r ? (g - b) / range : value === g ? 2 + (b - r) / range : 4 + (r - g) / range;
      const hue = sixth / 6 + rotation;
      const rotated = 6 * (hue - Math.floor(hue));
      for (let c = 0; c < 3; c++) {
        // A channel has its maximum over two sixths around its own hue and falls over one sixth on either side
        const away = Math.abs(((rotated - 2 * c + 9) % 6) - 3);
        const x = value - range * Math.min(1, Math.max(0, away - 1));
        data[at + c * plane] = this.#store(Math.fround(x * scale));
      }
    }
  }
}
