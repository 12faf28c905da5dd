import { needsImage } from "./image_checks.ts";
import type { CutoutSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `cutout` in factories.ts. */
export const cutoutDef: TransformDef<CutoutSpec> = {
  output(_spec, input, place) {
    needsImage(input, "cutout", place);
    return input;
  },
  action({ size, p }) {
    return {
      act: "window",
      pads: false,
      holes: true,
      move(window, random) {
        if (random.uniform() >= p) return;
        const half = size >> 1;
        window.punch(random.below(window.height) - half, random.below(window.width) - half, size, size);
      },
    };
  },
};
