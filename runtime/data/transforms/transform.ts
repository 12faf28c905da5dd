/**
 * Definition of a transform, and the types that transforms exchange.
 *
 * @module
 */

import type { z } from "zod";
import type { RandomStream } from "../../core/random.ts";
import type { SchemaKit } from "./schema_kit.ts";
import type { PixelWindow } from "./window.ts";

/** Memory order of an image: planes of pixels, or pixels of channels. */
export type Order = "chw" | "hwc";

/** Type of a sample between two transforms. A sample that is not an image is one plane of one row. */
export interface SampleType {
  readonly dtype: "u8" | "f32";
  /** f32 values are whole bytes, as after `toF32`. */
  readonly bytes?: boolean;
  readonly channels: number;
  /** Height and width; null if samples differ in size. */
  readonly height: number | null;
  readonly width: number | null;
  readonly order: Order;
  /** Samples are `[channels, height, width]` to the user. */
  readonly image: boolean;
}

/** Sample in memory, from a source or a transform. */
export interface Pixels {
  readonly data: Uint8Array | Float32Array;
  /** Index of its first value. */
  readonly offset: number;
  /** Height and width, where samples differ in size. */
  readonly height?: number | undefined;
  readonly width?: number | undefined;
  /** Distance between pixels of an `hwc` image; the number of channels by default, 4 for RGBA read as RGB. */
  readonly step?: number | undefined;
}

/** Height and width of an image; null if samples differ in size. */
export type ImageSize = Pick<SampleType, "height" | "width">;

/** Returns the sides of an image by name. */
export function sidesOf({ height, width }: ImageSize) {
  return [["height", height], ["width", width]] as const;
}

/** Function of single values. */
export interface Point {
  readonly output: "u8" | "f32";
  /** Returns the function for a channel; its result is rounded to `output`. */
  readonly of: (channel: number) => (x: number) => number;
}

/** Argument of a user's function: values that it may change, and their type. */
export interface MapSample {
  readonly data: Uint8Array | Float32Array;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly order: Order;
  readonly epoch: number;
  /** Index of the sample in its split. */
  readonly index: number;
}

/** User's function over a whole sample. */
export type MapFunction = (sample: MapSample, random: RandomStream) => Uint8Array | Float32Array | void;

/**
 * Effect of a transform on a sample:
 *
 * - `window`: changes which source pixels the result shows, or punches holes. Several merge into one, and into the copy
 *   that follows. `pads`: reads zeros beyond the edge; `holes`: punches holes.
 * - `resample`: resizes the window's pixels to an image of another size.
 * - `point`: applies a function to each value.
 * - `form`: stores the same values in another order or type; merges into the pass that copies them.
 * - `whole`: applies a function to the whole sample, in a separate pass.
 */
export type Action =
  | {
    readonly act: "window";
    readonly pads?: boolean;
    readonly holes?: boolean;
    /** Draws from `random`, keyed by (seed, epoch, sample) and the transform, and moves the window. */
    readonly move: (window: PixelWindow, random: RandomStream) => void;
  }
  | {
    readonly act: "resample";
    readonly antialias: boolean;
    /** Moves the window first, within the edges. */
    readonly move: ((window: PixelWindow, random: RandomStream) => void) | null;
    readonly size: (height: number, width: number) => readonly [height: number, width: number];
  }
  | { readonly act: "point"; readonly point: Point }
  | { readonly act: "form" }
  | {
    readonly act: "whole";
    /** @param key first word of the key of its random draws */
    readonly open: (input: SampleType, output: SampleType, key: number) => SamplePass;
  };

/** Epoch of samples that are kept for all epochs: transforms must not depend on it. */
export const EVERY_EPOCH = -1;

/** Pass over whole samples. */
export interface SamplePass {
  /**
   * Transforms `source`, whose values lie at the beginning of its `data` and may be overwritten.
   *
   * @throws {InputError} if it does not accept the sample
   */
  run(source: Pixels, epoch: number, sample: number): Pixels;
}

/** Schema of a transform's record, discriminated by `kind`. */
export type RecordSchema = z.ZodObject<{ kind: z.ZodLiteral<string>; delay: z.ZodOptional<z.ZodNumber> }>;

/** Builds a schema from its parts. */
export type SchemaOf<T extends RecordSchema> = (kit: SchemaKit) => T;

/** Record that a schema describes. */
export type SpecOf<F extends SchemaOf<RecordSchema>> = z.infer<ReturnType<F>>;

interface CommonDef<F extends SchemaOf<RecordSchema>> {
  readonly kind: SpecOf<F>["kind"];
  readonly schema: F;
  /** Runs user code, which may never return. */
  readonly userCode?: boolean;
  /** Returns true if it draws random numbers, so that each epoch has other samples. User code is checked when it runs. */
  random?(spec: SpecOf<F>): boolean;
  /** Returns the name in reports; `kind` by default. */
  label?(spec: SpecOf<F>): string;
  /** Loads what the transform needs on this thread. */
  load?(spec: SpecOf<F>): Promise<void>;
}

/** Definition of a transform of a sample's input. */
export interface TransformDef<F extends SchemaOf<RecordSchema> = SchemaOf<RecordSchema>> extends CommonDef<F> {
  /** Changes the type or the order of values. */
  readonly converts?: boolean;
  /** Accepts images only. */
  readonly needsImage?: boolean;
  /**
   * Returns the type of its result; the type of `input` by default.
   *
   * @throws {InputError} if it does not accept `input`; the message begins with `place`
   */
  output?(spec: SpecOf<F>, input: SampleType, place: string): SampleType;
  action(spec: SpecOf<F>, input: SampleType): Action;
}

/** Form of a target that replaces a class index. */
export interface TargetForm {
  /** f32 elements. */
  readonly size: number;
  write(label: number, out: Float32Array | Int32Array, at: number): void;
}

/** Definition of a transform of a sample's target. */
export interface TargetTransformDef<F extends SchemaOf<RecordSchema> = SchemaOf<RecordSchema>> extends CommonDef<F> {
  /**
   * Returns the form that it gives to class indices.
   *
   * @param classes null unless targets are class indices
   * @throws {InputError} if it does not accept the targets; the message begins with `place`
   */
  target(spec: SpecOf<F>, classes: number | null, place: string): TargetForm;
}

/** Returns the definition with the exact type of its schema. */
export function defineTransform<F extends SchemaOf<RecordSchema>>(def: TransformDef<F>): TransformDef<F> {
  return def;
}

/** Returns the definition with the exact type of its schema. */
export function defineTargetTransform<F extends SchemaOf<RecordSchema>>(
  def: TargetTransformDef<F>,
): TargetTransformDef<F> {
  return def;
}

/** Words of a sample's window: top, left, step, y0, y1, x0, x1. */
export const WINDOW_WORDS = 7;

/** Part of a chain that the device runs on each sample. */
export interface DevicePart {
  /** 4-byte words of a sample: its bytes, four to a word, then its window. */
  readonly words: number;
  readonly channels: number;
  /** Memory order of the bytes. */
  readonly order: Order;
  readonly sourceHeight: number;
  readonly sourceWidth: number;
  /** Height and width of the result. */
  readonly height: number;
  readonly width: number;
  /** Entry 256 c + x is the result of byte x in channel c. */
  readonly table: readonly number[];
}
