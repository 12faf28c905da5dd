import { InputError } from "../../core/errors.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type ImageSize, sidesOf } from "./transform.ts";
import type { CenterCropSpec } from "./types.ts";

const schema = ({ record, positiveInteger }: SchemaKit) =>
  record("centerCrop", { size: positiveInteger.describe("height and width of the result in pixels") });

export const centerCropDef = defineTransform({
  kind: "centerCrop",
  schema,
  needsImage: true,
  output(spec, input, place) {
    checkFit(spec, input, `${place}: `);
    return { ...input, height: spec.size, width: spec.size };
  },
  action(spec) {
    const { size } = spec;
    return {
      act: "window",
      move(window) {
        if (window.height < size || window.width < size) checkFit(spec, window, "");
        window.crop((window.height - size) >> 1, (window.width - size) >> 1, size, size);
      },
    };
  },
});

/**
 * Crops the `size` x `size` square in the middle of the image.
 *
 * @throws {InputError} if `size` is not a positive integer
 */
export function centerCrop(size: number, options: DelayOption = {}): CenterCropSpec {
  return recordOf(centerCropDef, options, { size });
}

function checkFit({ size }: CenterCropSpec, image: ImageSize, place: string): void {
  for (const [name, side] of sidesOf(image)) {
    if (side === null || size <= side) continue;
    throw new InputError(
      `${place}centerCrop(${size}) is larger than the image's ${name} ${side}; use a size of at most ${side}, ` +
        `or resize first`,
    );
  }
}
