import { InputError } from "../../core/errors.ts";
import type { RandomHorizontalFlipSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `randomHorizontalFlip` in factories.ts. */
export const randomHorizontalFlipDef: TransformDef<RandomHorizontalFlipSpec> = {
  output(_spec, input, place) {
    if (!input.image) throw new InputError(`${place}: randomHorizontalFlip needs samples [channels, height, width]`);
    return input;
  },
  action(spec) {
    return {
      act: "window",
      pads: false,
      move(window, random) {
        if (random.uniform() < spec.p) window.flip();
      },
    };
  },
};
