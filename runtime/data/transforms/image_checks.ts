import { InputError } from "../../core/errors.ts";
import type { SampleType } from "./transform.ts";

/**
 * @throws {InputError} if samples are no images
 */
export function needsImage(input: SampleType, name: string, place: string): void {
  if (!input.image) throw new InputError(`${place}: ${name} needs samples [channels, height, width]`);
}

/** The sides of an image by name; null where samples differ in size. */
export function sidesOf({ height, width }: { height: number | null; width: number | null }) {
  return [["height", height], ["width", width]] as const;
}
