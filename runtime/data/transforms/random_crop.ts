import { InputError } from "../../core/errors.ts";
import { needsImage, sidesOf } from "./image_checks.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, positiveInteger, nonNegativeInteger, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("randomCrop"),
    size: positiveInteger.describe("height and width of the result in pixels"),
    padding: nonNegativeInteger.default(0).describe("zero pixels added on each side first"),
    delay,
  });

type RandomCropSpec = SpecOf<typeof schema>;

export const randomCropDef = defineTransform({
  kind: "randomCrop",
  schema,
  output(spec, input, place) {
    needsImage(input, "randomCrop", place);
    checkFit(spec, input, `${place}: `);
    return { ...input, height: spec.size, width: spec.size };
  },
  action(spec) {
    const { size, padding } = spec;
    return {
      act: "window",
      pads: padding > 0,
      holes: false,
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
 * A square of `size` x `size` pixels from a random place of the image, which first gets `padding` zero pixels on
 * each side.
 *
 * @throws {InputError} if `size` is no whole number above 0 or `padding` none of at least 0
 */
export function randomCrop(size: number, options: { padding?: number } & DelayOption = {}): RandomCropSpec {
  return recordOf(randomCropDef, { size, ...options });
}

function checkFit(spec: RandomCropSpec, image: { height: number | null; width: number | null }, place: string): void {
  for (const [name, size] of sidesOf(image)) {
    if (size === null || spec.size <= size + 2 * spec.padding) continue;
    const padded = spec.padding === 0 ? "" : ` with padding ${spec.padding} on each side`;
    throw new InputError(
      `${place}randomCrop(${spec.size}) is larger than the image's ${name} ${size}${padded}; ` +
        `take a size of at most ${size + 2 * spec.padding} or a padding of at least ${
          Math.ceil((spec.size - size) / 2)
        }`,
    );
  }
}
