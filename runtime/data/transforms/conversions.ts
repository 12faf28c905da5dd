/**
 * Transforms that change how values are kept: their type, or their order.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { TO_U8 } from "./points.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type Order, type SampleType, type SpecOf } from "./transform.ts";
import { needsImage } from "./image_checks.ts";

export const toF32Def = defineTransform({
  kind: "toF32",
  converts: true,
  schema: ({ z, delay }: SchemaKit) => z.strictObject({ kind: z.literal("toF32"), delay }),
  output: (_spec, input) => ({ ...input, dtype: "f32", bytes: areBytes(input) }),
  action: () => ({ act: "form" }),
});

/**
 * Values as f32, as they are: 255 stays 255. `rescale` and `normalize` do this by themselves.
 */
export function toF32(options: DelayOption = {}): SpecOf<typeof toF32Def.schema> {
  return recordOf(toF32Def, options);
}

export const toU8Def = defineTransform({
  kind: "toU8",
  converts: true,
  schema: ({ z, delay }: SchemaKit) => z.strictObject({ kind: z.literal("toU8"), delay }),
  output: (_spec, input) => ({ ...input, dtype: "u8" }),
  action: (_spec, input) => areBytes(input) ? { act: "form" } : { act: "point", point: TO_U8 },
});

/**
 * Values as u8: rounded to the nearest whole number, halves upwards, and held within 0 and 255.
 */
export function toU8(options: DelayOption = {}): SpecOf<typeof toU8Def.schema> {
  return recordOf(toU8Def, options);
}

export const hwcToChwDef = defineTransform({
  kind: "hwcToChw",
  converts: true,
  schema: ({ z, delay }: SchemaKit) => z.strictObject({ kind: z.literal("hwcToChw"), delay }),
  output: (_spec, input, place) => reordered(input, "hwc", "chw", "hwcToChw", "chwToHwc", place),
  action: () => ({ act: "form" }),
});

/**
 * From pixels of channels, as files are decoded, to planes of pixels. Samples arrive in the order of the device whatever
 * the chain does; what this changes is what comes between, and what it costs.
 */
export function hwcToChw(options: DelayOption = {}): SpecOf<typeof hwcToChwDef.schema> {
  return recordOf(hwcToChwDef, options);
}

export const chwToHwcDef = defineTransform({
  kind: "chwToHwc",
  converts: true,
  schema: ({ z, delay }: SchemaKit) => z.strictObject({ kind: z.literal("chwToHwc"), delay }),
  output: (_spec, input, place) => reordered(input, "chw", "hwc", "chwToHwc", "hwcToChw", place),
  action: () => ({ act: "form" }),
});

/** From planes of pixels to pixels of channels. */
export function chwToHwc(options: DelayOption = {}): SpecOf<typeof chwToHwcDef.schema> {
  return recordOf(chwToHwcDef, options);
}

function areBytes({ dtype, bytes = false }: SampleType): boolean {
  return dtype === "u8" || bytes;
}

function reordered(input: SampleType, from: Order, to: Order, name: string, other: string, place: string): SampleType {
  needsImage(input, name, place);
  if (input.order === from) return { ...input, order: to };
  throw new InputError(
    `${place}: ${name} needs values in the order ${from}, but they are ${input.order} here; leave it out or ` +
      `put ${other}() before it`,
  );
}
