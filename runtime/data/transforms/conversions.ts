/**
 * Transforms that change the type or memory order of values.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { TO_U8 } from "./points.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type Order, type SampleType } from "./transform.ts";
import type { ChwToHwcSpec, HwcToChwSpec, ToF32Spec, ToU8Spec } from "./types.ts";

export const toF32Def = defineTransform({
  kind: "toF32",
  converts: true,
  schema: ({ record }: SchemaKit) => record("toF32", {}),
  output: (_spec, input) => ({ ...input, dtype: "f32", bytes: areBytes(input) }),
  action: () => ({ act: "form" }),
});

/** Converts values to f32 without scaling: 255 stays 255. `rescale` and `normalize` do this on their own. */
export function toF32(options: DelayOption = {}): ToF32Spec {
  return recordOf(toF32Def, options);
}

export const toU8Def = defineTransform({
  kind: "toU8",
  converts: true,
  schema: ({ record }: SchemaKit) => record("toU8", {}),
  output: (_spec, input) => ({ ...input, dtype: "u8" }),
  action: (_spec, input) => areBytes(input) ? { act: "form" } : { act: "point", point: TO_U8 },
});

/** Converts values to u8: rounds to the nearest integer, halves up, and clamps to 0..255. */
export function toU8(options: DelayOption = {}): ToU8Spec {
  return recordOf(toU8Def, options);
}

export const hwcToChwDef = defineTransform({
  kind: "hwcToChw",
  converts: true,
  schema: ({ record }: SchemaKit) => record("hwcToChw", {}),
  needsImage: true,
  output: (_spec, input, place) => reordered(input, "hwc", "chw", "hwcToChw", "chwToHwc", place),
  action: () => ({ act: "form" }),
});

/**
 * Reorders pixels of channels, the order of decoded files, to planes of pixels. Batches have the device's order either
 * way; this only changes the order between transforms, and its cost.
 */
export function hwcToChw(options: DelayOption = {}): HwcToChwSpec {
  return recordOf(hwcToChwDef, options);
}

export const chwToHwcDef = defineTransform({
  kind: "chwToHwc",
  converts: true,
  schema: ({ record }: SchemaKit) => record("chwToHwc", {}),
  needsImage: true,
  output: (_spec, input, place) => reordered(input, "chw", "hwc", "chwToHwc", "hwcToChw", place),
  action: () => ({ act: "form" }),
});

/** Reorders planes of pixels to pixels of channels. */
export function chwToHwc(options: DelayOption = {}): ChwToHwcSpec {
  return recordOf(chwToHwcDef, options);
}

function areBytes({ dtype, bytes = false }: SampleType): boolean {
  return dtype === "u8" || bytes;
}

function reordered(input: SampleType, from: Order, to: Order, name: string, other: string, place: string): SampleType {
  if (input.order === from) return { ...input, order: to };
  throw new InputError(
    `${place}: ${name} needs values in ${from} order, but they are in ${input.order} order here; leave it out or ` +
      `put ${other}() before it`,
  );
}
