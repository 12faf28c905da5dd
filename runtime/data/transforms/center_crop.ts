import { InputError } from "../../core/errors.ts";
import { needsImage, sidesOf } from "./image_checks.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, positiveInteger, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("centerCrop"),
    size: positiveInteger.describe("height and width of the result in pixels"),
    delay,
  });

type CenterCropSpec = SpecOf<typeof schema>;

export const centerCropDef = defineTransform({
  kind: "centerCrop",
  schema,
  output(spec, input, place) {
    needsImage(input, "centerCrop", place);
    checkFit(spec, input, `${place}: `);
    return { ...input, height: spec.size, width: spec.size };
  },
  action(spec) {
    const { size } = spec;
    return {
      act: "window",
      pads: false,
      holes: false,
      move(window) {
        if (window.height < size || window.width < size) checkFit(spec, window, "");
        window.crop((window.height - size) >> 1, (window.width - size) >> 1, size, size);
      },
    };
  },
});

/**
 * The square of `size` x `size` pixels in the middle of the image.
 *
 * @throws {InputError} if `size` is no whole number above 0
 */
export function centerCrop(size: number, options: DelayOption = {}): CenterCropSpec {
  return recordOf(centerCropDef, { size, ...options });
}

function checkFit({ size }: CenterCropSpec, image: { height: number | null; width: number | null }, place: string) {
  for (const [name, side] of sidesOf(image)) {
    if (side === null || size <= side) continue;
    throw new InputError(
      `${place}centerCrop(${size}) is larger than the image's ${name} ${side}; take a size of at most ${side}, ` +
        `or resize first`,
    );
  }
}
