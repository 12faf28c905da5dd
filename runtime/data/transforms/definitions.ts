import { streamKey } from "../keys.ts";
import { centerCropDef } from "./center_crop.ts";
import { chwToHwcDef, hwcToChwDef, toF32Def, toU8Def } from "./conversions.ts";
import { cutoutDef } from "./cutout.ts";
import { mapDef } from "./map.ts";
import { normalizeDef } from "./normalize.ts";
import { inputTransforms } from "./one_hot.ts";
import { randomCropDef } from "./random_crop.ts";
import { randomHorizontalFlipDef } from "./random_horizontal_flip.ts";
import { randomResizedCropDef } from "./random_resized_crop.ts";
import { rescaleDef } from "./rescale.ts";
import { resizeDef } from "./resize.ts";
import type { InputTransformSpec, TransformSpec } from "./schema.ts";
import type { Action, SampleType, TransformDef } from "./transform.ts";

type Defs = { readonly [K in InputTransformSpec["kind"]]: TransformDef<Extract<InputTransformSpec, { kind: K }>> };

const DEFS: Defs = {
  resize: resizeDef,
  randomResizedCrop: randomResizedCropDef,
  randomCrop: randomCropDef,
  centerCrop: centerCropDef,
  randomHorizontalFlip: randomHorizontalFlipDef,
  cutout: cutoutDef,
  rescale: rescaleDef,
  normalize: normalizeDef,
  toF32: toF32Def,
  toU8: toU8Def,
  hwcToChw: hwcToChwDef,
  chwToHwc: chwToHwcDef,
  map: mapDef,
};

/** A transform in its place in a chain. */
export interface Step {
  readonly spec: InputTransformSpec;
  readonly action: Action;
  readonly input: SampleType;
  readonly output: SampleType;
  /** The first word of the key of its draws. */
  readonly key: number;
}

/**
 * The transforms of the input with the types between them.
 *
 * @throws {InputError} if a transform cannot take what the one before it makes; the message begins with `place`
 */
export function stepsOf(specs: readonly TransformSpec[], input: SampleType, seed: number, place: string): Step[] {
  const seen = new Map<string, number>();
  let type = input;
  return inputTransforms(specs).map(({ spec, place: index }) => {
    const def = DEFS[spec.kind] as TransformDef<InputTransformSpec>;
    // By kind and count, so that adding a transform of another kind leaves the draws of the rest as they were
    const count = seen.get(spec.kind) ?? 0;
    seen.set(spec.kind, count + 1);
    const key = streamKey(seed, `data/transform/${spec.kind}/${count}`);
    const output = def.output(spec, type, `${place}.transforms[${index}]`);
    const step: Step = { spec, action: def.action(spec, type), input: type, output, key };
    type = output;
    return step;
  });
}

/** The name of a transform in reports. */
export function stepName({ spec }: Step): string {
  return spec.kind === "map" ? `map(${spec.name})` : spec.kind;
}
