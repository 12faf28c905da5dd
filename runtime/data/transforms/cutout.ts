import { needsImage } from "./image_checks.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, positiveInteger, probability, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("cutout"),
    size: positiveInteger.describe("side of the square that becomes zero, in pixels"),
    p: probability.default(1).describe("probability"),
    delay,
  });

type CutoutSpec = SpecOf<typeof schema>;

export const cutoutDef = defineTransform({
  kind: "cutout",
  schema,
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
});

/**
 * A square of `size` x `size` pixels, its centre anywhere in the image, set to zero with probability `p`; what lies
 * beyond the edge is left out. After `normalize` zero is the mean.
 *
 * @throws {InputError} if an option is invalid
 */
export function cutout(size: number, options: { p?: number } & DelayOption = {}): CutoutSpec {
  return recordOf(cutoutDef, { size, ...options });
}
