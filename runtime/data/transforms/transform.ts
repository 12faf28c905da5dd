/**
 * What the chain asks of every kind of transform.
 *
 * @module
 */
import type { z } from "zod";
import type { RandomStream } from "../../core/random.ts";
import type { SchemaKit } from "./schema_kit.ts";
import type { PixelWindow } from "./window.ts";

/** In which order the values of an image lie: planes of pixels, or pixels of channels. */
export type Order = "chw" | "hwc";

/** One sample between two transforms. Samples that are no images are one plane of one row. */
export interface SampleType {
  readonly dtype: "u8" | "f32";
  /** Whether f32 values are bytes all the same, as `toF32` leaves them. */
  readonly bytes?: boolean;
  readonly channels: number;
  /** Null where samples differ in size. */
  readonly height: number | null;
  readonly width: number | null;
  readonly order: Order;
  /** Whether the sample is `[channels, height, width]` to the user. */
  readonly image: boolean;
}

/** A sample in memory, as a source or a transform has left it. */
export interface Pixels {
  readonly data: Uint8Array | Float32Array;
  /** Where its first value is. */
  readonly offset: number;
  /** Where samples differ in size. */
  readonly height?: number | undefined;
  readonly width?: number | undefined;
  /** From a pixel to the next, where that is not the number of channels of an `hwc` image: 4 for RGBA read as RGB. */
  readonly step?: number | undefined;
}

/** A function of single values. */
export interface Point {
  readonly output: "u8" | "f32";
  /** The function for a channel; its result is rounded to `output`. */
  readonly of: (channel: number) => (x: number) => number;
}

/** What a function of the user's gets: the values, which it may change, and what they are. */
export interface MapSample {
  readonly data: Uint8Array | Float32Array;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly order: Order;
  readonly epoch: number;
  /** The sample's number in its split. */
  readonly index: number;
}

/** A function of the user's over a whole sample. */
export type MapFunction = (sample: MapSample, random: RandomStream) => Uint8Array | Float32Array | void;

/**
 * How a transform acts on a sample:
 *
 * - `window`: it moves where pixels come from, or punches holes; several merge into one, and into the copy that follows.
 *   `pads` says that it can look beyond the edge, where there is zero, `holes` that it punches.
 * - `resample`: the window's pixels become an image of another size.
 * - `point`: a function of each value.
 * - `form`: the values are kept in another order or type, and stay what they are; merges into whatever copies them.
 * - `whole`: a function of the whole sample, which runs as a separate pass.
 */
export type Action =
  | {
    readonly act: "window";
    readonly pads: boolean;
    readonly holes: boolean;
    /** Draws from `random`, which is keyed by (seed, epoch, sample) and by the transform, and moves the window. */
    readonly move: (window: PixelWindow, random: RandomStream) => void;
  }
  | {
    readonly act: "resample";
    readonly antialias: boolean;
    /** Moves the window first, without looking beyond the edge. */
    readonly move: ((window: PixelWindow, random: RandomStream) => void) | null;
    readonly size: (height: number, width: number) => readonly [height: number, width: number];
  }
  | { readonly act: "point"; readonly point: Point }
  | { readonly act: "form" }
  | {
    readonly act: "whole";
    /** @param key the first word of the key of its draws */
    readonly open: (input: SampleType, output: SampleType, key: number) => SamplePass;
  };

/** A pass over whole samples. */
export interface SamplePass {
  /**
   * The sample that becomes of `source`, whose values lie at the beginning of its `data` and may be overwritten.
   *
   * @throws {InputError} if it cannot take the sample
   */
  run(source: Pixels, epoch: number, sample: number): Pixels;
}

/** A transform's schema: an object told apart by `kind`. */
export type RecordSchema = z.ZodObject<{ kind: z.ZodLiteral<string>; delay: SchemaKit["delay"] }>;

/** Builds a schema from its parts. */
export type SchemaOf<T extends RecordSchema> = (kit: SchemaKit) => T;

/** The record that a schema describes. */
export type SpecOf<F extends SchemaOf<RecordSchema>> = z.infer<ReturnType<F>>;

interface CommonDef<F extends SchemaOf<RecordSchema>> {
  readonly kind: SpecOf<F>["kind"];
  readonly schema: F;
  /** Runs code of the user's, which may never return. */
  readonly userCode?: boolean;
  /** The name in reports; `kind` by default. */
  label?(spec: SpecOf<F>): string;
  /** Loads on this thread what the transform needs. */
  load?(spec: SpecOf<F>): Promise<void>;
}

/** One kind of transform of a sample's input. */
export interface TransformDef<F extends SchemaOf<RecordSchema> = SchemaOf<RecordSchema>> extends CommonDef<F> {
  /** Changes the type or the order of values. */
  readonly converts?: boolean;
  /**
   * The type of its result.
   *
   * @throws {InputError} if it cannot take `input`; the message begins with `place`
   */
  output(spec: SpecOf<F>, input: SampleType, place: string): SampleType;
  action(spec: SpecOf<F>, input: SampleType): Action;
}

/** A target in place of a class index. */
export interface TargetForm {
  /** f32 elements. */
  readonly size: number;
  write(label: number, out: Float32Array | Int32Array, at: number): void;
}

/** One kind of transform of a sample's target. */
export interface TargetTransformDef<F extends SchemaOf<RecordSchema> = SchemaOf<RecordSchema>> extends CommonDef<F> {
  /**
   * The target that it makes of a class index.
   *
   * @param classes null where targets are no class indices
   * @throws {InputError} if it cannot take the targets; the message begins with `place`
   */
  target(spec: SpecOf<F>, classes: number | null, place: string): TargetForm;
}

/** The definition with the exact type of its schema. */
export function defineTransform<F extends SchemaOf<RecordSchema>>(def: TransformDef<F>): TransformDef<F> {
  return def;
}

/** The definition with the exact type of its schema. */
export function defineTargetTransform<F extends SchemaOf<RecordSchema>>(
  def: TargetTransformDef<F>,
): TargetTransformDef<F> {
  return def;
}
