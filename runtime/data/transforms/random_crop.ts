import { InputError } from "../../core/errors.ts";
import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type ImageSize, sidesOf } from "./transform.ts";
import type { RandomCropOptions, RandomCropSpec } from "./types.ts";

const schema = ({ record, positiveInteger, nonNegativeInteger }: SchemaKit) =>
  record("randomCrop", {
    size: positiveInteger.describe("height and width of the result in pixels"),
    padding: nonNegativeInteger.default(0).describe("zero pixels added on each side before the crop"),
  });

export const randomCropDef = defineTransform({
  kind: "randomCrop",
  schema,
  random: () => true,
  needsImage: true,
  output(spec, input, place) {
    checkFit(spec, input, `${place}: `);
    return { ...input, height: spec.size, width: spec.size };
  },
  action(spec) {
    const { size, padding } = spec;
    return {
      act: "window",
      pads: padding > 0,
      move(window, random) {
        const rows = window.height + 2 * padding - size + 1;
        const columns = window.width + 2 * padding - size + 1;
        if (rows < 1 || columns < 1) checkFit(spec, window, "");
        const y = random.below(rows) - padding;
        const x = random.below(columns) - padding;
        window.crop(y, x, size, size);
      },
    };
  },
});

/**
 * Crops a `size` x `size` square at a random place, after adding `padding` zero pixels on each side.
 *
 * @throws {InputError} if `size` is not a positive integer or `padding` not a non-negative one
 */
export function randomCrop(size: number, options: RandomCropOptions = {}): RandomCropSpec {
  return recordOf(randomCropDef, options, { size });
}

function checkFit({ size, padding }: RandomCropSpec, image: ImageSize, place: string): void {
  for (const [name, side] of sidesOf(image)) {
    if (side === null || size <= side + 2 * padding) continue;
    const padded = padding === 0 ? "" : ` with padding ${padding} on each side`;
    throw new InputError(
      `${place}randomCrop(${size}) is larger than the image's ${name} ${side}${padded}; use a size of at most ` +
        `${side + 2 * padding} or a padding of at least ${Math.ceil((size - side) / 2)}`,
    );
  }
}
