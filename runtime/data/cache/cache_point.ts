import { InputError } from "../../core/errors.ts";
import type { ReaderPlan } from "../readers/reader.ts";
import { isRandom, stepsOf, transformOf, type TransformSpec } from "../transforms/definitions.ts";
import { DeviceChain } from "../transforms/device_chain.ts";
import type { SampleType } from "../transforms/transform.ts";

/** Place of a cache in the chain of transforms. */
export interface CachePoint {
  /** Transforms of the input before it. */
  readonly steps: number;
  /** Type of the samples in it; null if inputs are copied unchanged. */
  readonly type: SampleType | null;
}

/** Returns the place of a plan's cache; the source itself without one. */
export function cachePoint(
  { source: { sample }, transforms, cache }: {
    readonly source: Pick<ReaderPlan, "sample">;
    readonly transforms: readonly TransformSpec[];
    readonly cache: { readonly after: number } | null;
  },
): CachePoint {
  if (cache === null || sample === null) return { steps: 0, type: sample };
  const before = transforms.slice(0, cache.after).filter(({ kind }) => !("target" in transformOf(kind)!));
  return { steps: before.length, type: stepsOf(before, sample, 0, "data").at(-1)?.output ?? sample };
}

/**
 * Checks the place of a cache.
 *
 * @param sample type of the source's samples; null if inputs are copied unchanged
 * @throws {InputError} if there are fewer transforms, or one before the cache draws random numbers or runs on the device
 */
export function checkCachePoint(
  { transforms, placement, cache: { after } }: {
    readonly transforms: readonly TransformSpec[];
    readonly placement: "host" | "device";
    readonly cache: { readonly after: number };
  },
  sample: SampleType | null,
): void {
  if (after > transforms.length) {
    throw new InputError(
      `data.cache.after is ${after}, but data.transforms has ${transforms.length}; expected a number from 0 to ` +
        `${transforms.length}`,
    );
  }
  const random = transforms.slice(0, after).findIndex(isRandom);
  if (random >= 0) {
    throw new InputError(
      `data.cache.after is ${after}, but data.transforms[${random}], ${
        transforms[random]!.kind
      }, draws random numbers: ` +
        `from a cache every epoch would get the same ones; expected at most ${random}`,
    );
  }
  if (placement === "host" || sample === null) return;
  const { steps } = cachePoint({ source: { sample }, transforms, cache: { after } });
  const onHost = DeviceChain.hostSteps(transforms, sample);
  if (steps > onHost) {
    throw new InputError(
      `data.cache.after is ${after}, but the device runs all but the first ${onHost} transforms; expected at most ` +
        `${onHost}, or data.placement "host"`,
    );
  }
}
