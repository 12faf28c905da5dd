import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform } from "./transform.ts";
import type { CutoutOptions, CutoutSpec } from "./types.ts";

const schema = ({ record, positiveInteger, probability }: SchemaKit) =>
  record("cutout", {
    size: positiveInteger.describe("side of the square set to zero, in pixels"),
    p: probability.default(1).describe("probability"),
  });

export const cutoutDef = defineTransform({
  kind: "cutout",
  schema,
  random: () => true,
  needsImage: true,
  action: ({ size, p }) => ({
    act: "window",
    holes: true,
    move(window, random) {
      if (random.uniform() >= p) return;
      const half = size >> 1;
      window.punch(random.below(window.height) - half, random.below(window.width) - half, size, size);
    },
  }),
});

/**
 * Sets a `size` x `size` square to zero with probability `p`. Its centre lies anywhere in the image; the part beyond the
 * edge is ignored. After `normalize`, zero is the mean.
 *
 * @throws {InputError} if an option is invalid
 */
export function cutout(size: number, options: CutoutOptions = {}): CutoutSpec {
  return recordOf(cutoutDef, options, { size });
}
