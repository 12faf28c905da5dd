import { InputError } from "../../core/errors.ts";
import type { RandomCropSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `randomCrop` in factories.ts. */
export const randomCropDef: TransformDef<RandomCropSpec> = {
  output(spec, input, place) {
    if (!input.image) throw new InputError(`${place}: randomCrop needs samples [channels, height, width]`);
    for (const [name, size] of [["height", input.height], ["width", input.width]] as const) {
      if (spec.size > size + 2 * spec.padding) {
        const padded = spec.padding === 0 ? "" : ` with padding ${spec.padding} on each side`;
        throw new InputError(
          `${place}: randomCrop(${spec.size}) is larger than the image's ${name} ${size}${padded}; ` +
            `take a size of at most ${size + 2 * spec.padding} or a padding of at least ${
              Math.ceil((spec.size - size) / 2)
            }`,
        );
      }
    }
    return { ...input, height: spec.size, width: spec.size };
  },
  action(spec, input) {
    const { size, padding } = spec;
    const rows = input.height + 2 * padding - size + 1;
    const columns = input.width + 2 * padding - size + 1;
    return {
      act: "window",
      pads: padding > 0,
      move(window, random) {
        const y = random.below(rows) - padding;
        const x = random.below(columns) - padding;
        window.crop(y, x, size, size);
      },
    };
  },
};
