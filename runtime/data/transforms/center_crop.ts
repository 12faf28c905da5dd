import { InputError } from "../../core/errors.ts";
import { needsImage, sidesOf } from "./image_checks.ts";
import type { CenterCropSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `centerCrop` in factories.ts. */
export const centerCropDef: TransformDef<CenterCropSpec> = {
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
};

function checkFit({ size }: CenterCropSpec, image: { height: number | null; width: number | null }, place: string) {
  for (const [name, side] of sidesOf(image)) {
    if (side === null || size <= side) continue;
    throw new InputError(
      `${place}centerCrop(${size}) is larger than the image's ${name} ${side}; take a size of at most ${side}, ` +
        `or resize first`,
    );
  }
}
