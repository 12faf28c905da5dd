import { InputError } from "../../core/errors.ts";
import { stepsOf, type TransformSpec } from "./definitions.ts";
import type { SampleType } from "./transform.ts";

/** The type of samples that all have one size. */
export interface SizedType extends SampleType {
  readonly height: number;
  readonly width: number;
}

/**
 * What the transforms make of samples.
 *
 * @throws {InputError} if a transform cannot take what the one before it makes, or the results differ in size; the
 * message begins with `place`
 */
export function resultType(specs: readonly TransformSpec[], input: SampleType, place: string): SizedType {
  const result = stepsOf(specs, input, 0, place).at(-1)?.output ?? input;
  const { height, width } = result;
  if (height !== null && width !== null) return { ...result, height, width };
  throw new InputError(
    `${place}.transforms: the images differ in size, and a batch wants all of one; add randomResizedCrop(size), ` +
      "resize([height, width]) or centerCrop(size), or give the folder the size that all have",
  );
}
