import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ record, probability }: SchemaKit) =>
  record("randomHorizontalFlip", { p: probability.default(0.5).describe("probability") });

export const randomHorizontalFlipDef = defineTransform({
  kind: "randomHorizontalFlip",
  schema,
  needsImage: true,
  action: ({ p }) => ({
    act: "window",
    move(window, random) {
      if (random.uniform() < p) window.flip();
    },
  }),
});

/**
 * Mirrors the image left to right with probability `p`.
 *
 * @throws {InputError} if `p` is not between 0 and 1
 */
export function randomHorizontalFlip(options: { p?: number } & DelayOption = {}): SpecOf<typeof schema> {
  return recordOf(randomHorizontalFlipDef, options);
}
