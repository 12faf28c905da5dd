import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform } from "./transform.ts";
import type { RandomHorizontalFlipOptions, RandomHorizontalFlipSpec } from "./types.ts";

const schema = ({ record, probability }: SchemaKit) =>
  record("randomHorizontalFlip", { p: probability.default(0.5).describe("probability") });

export const randomHorizontalFlipDef = defineTransform({
  kind: "randomHorizontalFlip",
  schema,
  random: ({ p }) => p > 0 && p < 1,
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
export function randomHorizontalFlip(options: RandomHorizontalFlipOptions = {}): RandomHorizontalFlipSpec {
  return recordOf(randomHorizontalFlipDef, options);
}
