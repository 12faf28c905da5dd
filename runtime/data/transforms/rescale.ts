import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform } from "./transform.ts";
import type { RescaleSpec } from "./types.ts";

const schema = ({ record, number }: SchemaKit) =>
  record("rescale", {
    scale: number.describe("factor"),
    shift: number.default(0).describe("number added after scaling"),
  });

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
 * Computes `x * scale + shift` of unscaled values: `rescale(1 / 255)` maps pixels to 0..1.
 *
 * @throws {InputError} if an option is invalid
 */
export function rescale(scale: number, shift = 0, options: DelayOption = {}): RescaleSpec {
  return recordOf(rescaleDef, options, { scale, shift });
}
