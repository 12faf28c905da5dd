/**
 * What the chain asks of every kind of transform.
 *
 * @module
 */
import type { RandomStream } from "../../core/random.ts";
import type { TransformSpec } from "./schema.ts";
import type { PixelWindow } from "./window.ts";

/** One sample between two transforms: planes of pixels. Samples that are no images are one plane of one row. */
export interface SampleType {
  readonly dtype: "u8" | "f32";
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  /** Whether the sample is `[channels, height, width]` to the user. */
  readonly image: boolean;
}

/**
 * How a transform acts on a sample:
 *
 * - `window`: it moves where pixels come from; several merge into one, and into the copy that follows. `pads` says that
 *   it can look beyond the edge, where there is zero.
 * - `scale`: `(x - mean) / std` per channel.
 *
 * A kind that fits neither (a decoder, a resize, a function of the user's) will be a third way to act, run as a pass by
 * itself between fused ones (`chain.ts`).
 */
export type Action =
  | {
    readonly act: "window";
    readonly pads: boolean;
    /** Draws from `random`, which is keyed by (seed, epoch, sample) and by the transform, and moves the window. */
    readonly move: (window: PixelWindow, random: RandomStream) => void;
  }
  | { readonly act: "scale"; readonly mean: readonly number[]; readonly std: readonly number[] };

/** One kind of transform. */
export interface TransformDef<S extends TransformSpec> {
  /**
   * The type of its result.
   *
   * @throws {InputError} if it cannot take `input`; the message begins with `place`
   */
  output(spec: S, input: SampleType, place: string): SampleType;
  action(spec: S, input: SampleType): Action;
}
