import type { SampleType } from "../transforms/transform.ts";

/** Values of a sample of known size. */
export function sampleSize({ channels, height, width }: SampleType): number {
  if (height === null || width === null) throw new Error("Samples differ in size");
  return channels * height * width;
}
