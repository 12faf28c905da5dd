import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, number, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("rescale"),
    scale: number.describe("factor"),
    shift: number.default(0).describe("what is added after it"),
    delay,
  });

type RescaleSpec = SpecOf<typeof schema>;

export const rescaleDef = defineTransform({
  kind: "rescale",
  schema,
  output: (_spec, input) => ({ ...input, dtype: "f32", bytes: false }),
  action: ({ scale, shift }) => ({
    act: "point",
    point: { output: "f32", of: () => (x) => Math.fround(x * scale + shift) },
  }),
});

/**
 * `x * scale + shift` of the values as they are: `rescale(1 / 255)` makes 0 to 1 of pixels.
 *
 * @throws {InputError} if an option is invalid
 */
export function rescale(scale: number, shift = 0, options: DelayOption = {}): RescaleSpec {
  return recordOf(rescaleDef, { scale, shift, ...options });
}
