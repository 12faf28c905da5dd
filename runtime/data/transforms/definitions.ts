/**
 * The transforms. A new one takes a file in this folder, a line in the list and an export in `factories.ts`.
 *
 * @module
 */

import { InputError } from "../../core/errors.ts";
import { streamKey } from "../../core/random.ts";
import { centerCropDef } from "./center_crop.ts";
import { colorJitterDef } from "./color_jitter.ts";
import { chwToHwcDef, hwcToChwDef, toF32Def, toU8Def } from "./conversions.ts";
import { cutoutDef } from "./cutout.ts";
import { gaussianBlurDef } from "./gaussian_blur.ts";
import { mapDef } from "./map.ts";
import { normalizeDef } from "./normalize.ts";
import { oneHotDef } from "./one_hot.ts";
import { randomCropDef } from "./random_crop.ts";
import { randomHorizontalFlipDef } from "./random_horizontal_flip.ts";
import { randomResizedCropDef } from "./random_resized_crop.ts";
import { rescaleDef } from "./rescale.ts";
import { resizeDef } from "./resize.ts";
import type { Action, SampleType, TargetForm, TargetTransformDef, TransformDef } from "./transform.ts";
import type { TransformSpec } from "./types.ts";

export type { TransformSpec } from "./types.ts";

export const TRANSFORMS = [
  resizeDef,
  randomResizedCropDef,
  randomCropDef,
  centerCropDef,
  randomHorizontalFlipDef,
  cutoutDef,
  colorJitterDef,
  gaussianBlurDef,
  rescaleDef,
  normalizeDef,
  toF32Def,
  toU8Def,
  hwcToChwDef,
  chwToHwcDef,
  mapDef,
  oneHotDef,
] as const;

const BY_KIND = new Map(TRANSFORMS.map((def) => [def.kind as string, def as TransformDef | TargetTransformDef]));

/** Returns the definition of a kind of transform; undefined for an unknown kind, as in records of other versions. */
export function transformOf(kind: string): TransformDef | TargetTransformDef | undefined {
  return BY_KIND.get(kind);
}

/** Transform at its position in a chain. */
export interface Step {
  readonly spec: TransformSpec;
  readonly def: TransformDef;
  readonly action: Action;
  readonly input: SampleType;
  readonly output: SampleType;
  /** First word of the key of its random draws. */
  readonly key: number;
}

/**
 * Returns the transforms of the input with the types between them.
 *
 * @throws {InputError} if a transform does not accept the output of the one before it; the message begins with `place`
 */
export function stepsOf(specs: readonly TransformSpec[], input: SampleType, seed: number, place: string): Step[] {
  const seen = new Map<string, number>();
  let type = input;
  return specs.flatMap((spec, index) => {
    const def = transformOf(spec.kind)!;
    if ("target" in def) return [];
    // By kind and count, so that adding a transform of another kind changes no other draws
    const count = seen.get(spec.kind) ?? 0;
    seen.set(spec.kind, count + 1);
    const key = streamKey(seed, `data/transform/${spec.kind}/${count}`);
    const at = `${place}.transforms[${index}]`;
    if (def.needsImage && !type.image) {
      throw new InputError(`${at}: ${spec.kind} needs samples [channels, height, width]`);
    }
    const output = def.output?.(spec, type, at) ?? type;
    const step: Step = { spec, def, action: def.action(spec, type), input: type, output, key };
    type = output;
    return [step];
  });
}

/**
 * Returns the form that the transforms give to targets; null if they leave them unchanged.
 *
 * @param classes null unless targets are class indices
 * @throws {InputError} if a transform does not accept the targets, or two transforms change them
 */
export function targetFormOf(
  specs: readonly TransformSpec[],
  classes: number | null,
  place: string,
): TargetForm & { readonly delay: number } | null {
  let found: TargetForm & { readonly delay: number } | null = null;
  specs.forEach((spec, index) => {
    const def = transformOf(spec.kind)!;
    if (!("target" in def)) return;
    const at = `${place}.transforms[${index}]`;
    if (found !== null) throw new InputError(`${at}: ${spec.kind} is listed twice; leave one out`);
    found = { ...def.target(spec, classes, at), delay: spec.delay ?? 0 };
  });
  return found;
}

/** Lists the kinds of the transforms that change inputs. */
export function changingInputs(specs: readonly TransformSpec[]): string[] {
  return specs.map(({ kind }) => kind).filter((kind) => !("target" in transformOf(kind)!));
}

/** Returns the name of a transform in reports. */
export function stepName({ spec, def }: Step): string {
  return def.label?.(spec) ?? spec.kind;
}

/** Returns true if a transform draws random numbers, so that each epoch has other samples. */
export function isRandom(spec: TransformSpec): boolean {
  return transformOf(spec.kind)!.random?.(spec) ?? false;
}

/** Returns true if one of the transforms runs user code. */
export function runUserCode(specs: readonly TransformSpec[]): boolean {
  return specs.some(({ kind }) => transformOf(kind)!.userCode === true);
}

/**
 * Loads what the transforms need on this thread.
 *
 * @throws {InputError} if a user's module cannot be imported
 */
export async function loadTransforms(specs: readonly TransformSpec[]): Promise<void> {
  for (const spec of specs) await transformOf(spec.kind)!.load?.(spec);
}

/** Type of samples that all have one size. */
export interface SizedType extends SampleType {
  readonly height: number;
  readonly width: number;
}

/**
 * Returns the type of samples after the transforms.
 *
 * @throws {InputError} if a transform cannot take what the one before it makes, or the results differ in size; the
 * message begins with `place`
 */
export function resultType(specs: readonly TransformSpec[], input: SampleType, place: string): SizedType {
  const result = stepsOf(specs, input, 0, place).at(-1)?.output ?? input;
  const { height, width } = result;
  if (height !== null && width !== null) return { ...result, height, width };
  throw new InputError(
    `${place}.transforms: the images differ in size, but a batch needs one size; add randomResizedCrop(size), ` +
      "resize([height, width]) or centerCrop(size), or set the folder's size if all images share it",
  );
}
