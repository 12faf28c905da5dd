import { InputError } from "../../core/errors.ts";
import { stepsOf, type TransformSpec } from "./definitions.ts";
import type { SampleType } from "./transform.ts";

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
