/**
 * Transforms that change how values are kept: their type, or their order.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { TO_U8 } from "./points.ts";
import type { ChwToHwcSpec, HwcToChwSpec, ToF32Spec, ToU8Spec } from "./schema.ts";
import type { Order, SampleType, TransformDef } from "./transform.ts";
import { needsImage } from "./image_checks.ts";

/** See `toF32` in factories.ts. */
export const toF32Def: TransformDef<ToF32Spec> = {
  output: (_spec, input) => ({ ...input, dtype: "f32", bytes: areBytes(input) }),
  action: () => ({ act: "form" }),
};

/** See `toU8` in factories.ts. */
export const toU8Def: TransformDef<ToU8Spec> = {
  output: (_spec, input) => ({ ...input, dtype: "u8" }),
  action: (_spec, input) => areBytes(input) ? { act: "form" } : { act: "point", point: TO_U8 },
};

/** See `hwcToChw` in factories.ts. */
export const hwcToChwDef: TransformDef<HwcToChwSpec> = {
  output: (_spec, input, place) => reordered(input, "hwc", "chw", "hwcToChw", "chwToHwc", place),
  action: () => ({ act: "form" }),
};

/** See `chwToHwc` in factories.ts. */
export const chwToHwcDef: TransformDef<ChwToHwcSpec> = {
  output: (_spec, input, place) => reordered(input, "chw", "hwc", "chwToHwc", "hwcToChw", place),
  action: () => ({ act: "form" }),
};

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
