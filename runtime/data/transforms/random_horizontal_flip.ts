import { needsImage } from "./image_checks.ts";
import type { RandomHorizontalFlipSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `randomHorizontalFlip` in factories.ts. */
export const randomHorizontalFlipDef: TransformDef<RandomHorizontalFlipSpec> = {
  output(_spec, input, place) {
    needsImage(input, "randomHorizontalFlip", place);
    return input;
  },
  action(spec) {
    return {
      act: "window",
      pads: false,
      holes: false,
      move(window, random) {
        if (random.uniform() < spec.p) window.flip();
      },
    };
  },
};
