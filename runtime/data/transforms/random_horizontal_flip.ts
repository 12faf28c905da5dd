import { needsImage } from "./image_checks.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, probability, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("randomHorizontalFlip"),
    p: probability.default(0.5).describe("probability"),
    delay,
  });

type RandomHorizontalFlipSpec = SpecOf<typeof schema>;

export const randomHorizontalFlipDef = defineTransform({
  kind: "randomHorizontalFlip",
  schema,
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
});

/**
 * The image mirrored left to right with probability `p`.
 *
 * @throws {InputError} if `p` is not within 0 and 1
 */
export function randomHorizontalFlip(options: { p?: number } & DelayOption = {}): RandomHorizontalFlipSpec {
  return recordOf(randomHorizontalFlipDef, options);
}
