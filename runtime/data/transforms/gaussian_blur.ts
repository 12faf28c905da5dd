import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import { toByte } from "./points.ts";
import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import {
  defineTransform,
  type ImageSize,
  type Pixels,
  type SamplePass,
  type SampleType,
  sidesOf,
} from "./transform.ts";
import type { GaussianBlurOptions, GaussianBlurSpec } from "./types.ts";

const schema = ({ record, positiveInteger, range }: SchemaKit) =>
  record("gaussianBlur", {
    kernelSize: positiveInteger.refine((size) => size % 2 === 1, { error: "expected an odd number" })
      .describe("height and width of the kernel in pixels; odd"),
    sigma: range("standard deviations").default([0.1, 2]).describe("smallest and largest standard deviation in pixels"),
  });

export const gaussianBlurDef = defineTransform({
  kind: "gaussianBlur",
  schema,
  random: ({ sigma: [low, high] }) => low < high,
  needsImage: true,
  output(spec, input, place) {
    checkFit(spec, input, `${place}: `);
    return { ...input, bytes: false };
  },
  action: (spec) => ({ act: "whole", open: (input, _output, key) => new BlurPass(spec, input, key) }),
});

/**
 * Blurs the image with a Gaussian kernel of `kernelSize` x `kernelSize` pixels, like torchvision's `GaussianBlur`. The
 * standard deviation is drawn uniformly from the range `sigma`; the image is mirrored at its edges. u8 images stay u8,
 * rounded once.
 *
 * @throws {InputError} if an option is invalid
 */
export function gaussianBlur(options: GaussianBlurOptions): GaussianBlurSpec {
  return recordOf(gaussianBlurDef, options);
}

/** Checks that the image is large enough to mirror: the mirrored border leaves the outermost pixels out. */
function checkFit({ kernelSize }: GaussianBlurSpec, image: ImageSize, place: string): void {
  for (const [name, side] of sidesOf(image)) {
    if (side === null || side > kernelSize >> 1) continue;
    throw new InputError(
      `${place}gaussianBlur has a kernelSize of ${kernelSize}, too large for the image's ${name} ${side}; use at most ` +
        `${2 * side - 1}`,
    );
  }
}

/** Separable blur: along the rows first, then along the columns. */
class BlurPass implements SamplePass {
  readonly #spec: GaussianBlurSpec;
  readonly #input: SampleType;
  readonly #key: number;
  #rows = new Float64Array(0);

  constructor(spec: GaussianBlurSpec, input: SampleType, key: number) {
    this.#spec = spec;
    this.#input = input;
    this.#key = key;
  }

  run(source: Pixels, epoch: number, sample: number): Pixels {
    const { channels, order } = this.#input;
    const [height, width] = [source.height!, source.width!];
    checkFit(this.#spec, { height, width }, "");
    const [low, high] = this.#spec.sigma;
    const weights = this.#weights(low + (high - low) * new RandomStream(this.#key, epoch, sample).uniform());
    const data = source.data;
    const [columns, lines] = [mirrored(width, weights.length >> 1), mirrored(height, weights.length >> 1)];
    if (this.#rows.length < height * width) this.#rows = new Float64Array(height * width);
    const rows = this.#rows;
    const store = this.#input.dtype === "u8" ? toByte : (x: number) => x;
    const [step, plane] = order === "hwc" ? [channels, 1] : [1, height * width];
    for (let c = 0; c < channels; c++) {
      for (let y = 0; y < height; y++) {
        const row = c * plane + y * width * step;
        for (let x = 0; x < width; x++) {
          let sum = 0;
          for (let k = 0; k < weights.length; k++) sum += weights[k]! * data[row + columns[x + k]! * step]!;
          rows[y * width + x] = sum;
        }
      }
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          let sum = 0;
          for (let k = 0; k < weights.length; k++) sum += weights[k]! * rows[lines[y + k]! * width + x]!;
          data[c * plane + (y * width + x) * step] = store(sum);
        }
      }
    }
    return source;
  }

  #weights(sigma: number): Float64Array {
    const half = this.#spec.kernelSize >> 1;
    const weights = Float64Array.from({ length: 2 * half + 1 }, (_, k) => Math.exp(-0.5 * ((k - half) / sigma) ** 2));
    const sum = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / sum);
  }
}

/** Returns indices into a line of `length` values, mirrored at its ends: entry i is the index of position `i - pad`. */
function mirrored(length: number, pad: number): Int32Array {
  return Int32Array.from({ length: length + 2 * pad }, (_, i) => {
    const at = Math.abs(i - pad);
    return at < length ? at : 2 * length - 2 - at;
  });
}
