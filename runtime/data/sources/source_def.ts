/**
 * The definition of a data source. Each source is a file in this folder and a line in `sources.ts`.
 *
 * @module
 */
import { z } from "zod";
import { type Shape, sizeOf } from "../../core/shape.ts";
import { milliseconds, positiveInteger } from "../checked.ts";
import type { ReaderPlan } from "../readers/reader.ts";
import type { SourcePlan } from "../readers/readers.ts";
import { transformSchema, type TransformSpec } from "../transforms/schema.ts";
import type { Order, SampleType } from "../transforms/transform.ts";

/** Options that every data source takes. */
export interface CommonOptions {
  /** Transforms of each sample, in order. */
  transforms?: TransformSpec[];
  /** Run neighbouring transforms in one pass (the default), or one by one, with the same results. */
  fuse?: boolean;
  /** `"device"`: crops, flips and `normalize` at the end of the transforms run on the GPU, with the same results. */
  placement?: "host" | "device";
  /** Milliseconds slept for each sample that is read or decoded, and for each batch that is put together. */
  delay?: { read?: number; decode?: number; collate?: number };
}

/** The schema of `CommonOptions`. */
export const common = {
  transforms: z.array(transformSchema, { error: "expected a list of transforms" }).default([])
    .describe("what is done to each sample, in order"),
  fuse: z.boolean({ error: "expected true or false" }).default(true)
    .describe("run neighbouring transforms in one pass; false: one by one, with the same results"),
  placement: z.enum(["host", "device"], { error: 'expected "host" or "device"' }).default("host")
    .describe(
      "device: crops, flips and normalize at the end of the transforms run on the GPU, and bytes cross the bus",
    ),
  delay: z.strictObject({
    read: milliseconds.default(0).describe("milliseconds slept for each sample that is read, to study starvation"),
    decode: milliseconds.default(0).describe("milliseconds slept for each sample that is decoded"),
    collate: milliseconds.default(0).describe("milliseconds slept for each batch that is put together"),
  }).prefault({}),
};

/** The unit of sources of images. */
export const images = z.literal("images").default("images").describe("what samples are called");

/** A path or an address; `what` names it in messages. */
export function location(what: string) {
  return z.string({ error: `expected ${what}` }).min(1, { error: `expected ${what}` });
}

/** The shape of one sample. */
export const sampleShape = z.array(positiveInteger, { error: "expected a list of sizes" });

export type Split = "train" | "test";

/** One named part of a sample, as the source gives it. */
export interface Field {
  /** Null sizes differ from sample to sample. `[channels, height, width]` is an image; all else is one row of values. */
  readonly shape: readonly (number | null)[];
  readonly dtype: "u8" | "i32" | "u32" | "f32";
  /** Memory order of an image; `chw` by default. */
  readonly order?: Order;
}

/** The type of an input field's samples. */
export function sampleType({ shape, dtype, order = "chw" }: SourceDescription["fields"]["input"]): SampleType {
  if (shape.length !== 3) {
    return { dtype, channels: 1, height: 1, width: sizeOf(shape as Shape), order: "chw", image: false };
  }
  const [channels, height, width] = shape as readonly [number, number | null, number | null];
  return { dtype, channels, height, width, order, image: true };
}

/** What a source holds, before the transforms. */
export interface SourceDescription {
  /** Samples in each split. */
  readonly train: { readonly length: number };
  readonly test: { readonly length: number } | null;
  readonly fields: {
    readonly input: Field & { readonly dtype: "u8" | "f32" };
    /** i32 targets are class indices. */
    readonly target: Field & { readonly shape: Shape; readonly dtype: "i32" | "f32" };
    /** Further fields go to the batch as they are. */
    readonly [name: string]: Field;
  };
  /** Null where targets are no class indices. */
  readonly classes: number | null;
}

/** Reports and stops the preparation of a data set. */
export interface PrepareOptions {
  /** Called with the fraction that is done, from 0 to 1, and a phrase that says what it is; never when nothing has to be done. */
  readonly onProgress?: (fraction: number, doing: string) => void;
  /** Ends the preparation with an InterruptedError and removes what it has written. */
  readonly signal?: AbortSignal;
}

type Schema = z.ZodObject<{ kind: z.ZodLiteral<string>; unit: z.ZodType<"images" | "samples"> } & typeof common>;

type OwnPlan<P> = P extends SourcePlan ? Omit<P, Exclude<keyof ReaderPlan, "kind" | "length" | "sequential">> : never;

/** A plan without the fields that follow from the description. */
export type SplitPlan = OwnPlan<SourcePlan>;

/** One kind of data source; `S` is its record. */
export interface SourceDef<T extends Schema = Schema, S = z.infer<T>> {
  readonly schema: T;
  /** The factory that messages propose: `mnist()`. */
  readonly factory: string;
  /**
   * Looks at names, sizes and headers of files, but reads no samples.
   *
   * @throws {InputError} if files are missing or have the wrong size, or tensors disagree
   */
  describe(spec: S): SourceDescription;
  /**
   * The samples of a split; null where the source has no such split.
   *
   * @throws {InputError} as `describe`, or if files that are read at once are damaged
   */
  plan(spec: S, split: Split): SplitPlan | null;
  /** Ends the message that there is no test split: a colon and the reason, or a semicolon and what to do. */
  noTest?(spec: S): string;
  /**
   * Does once what the source needs before it is read.
   *
   * @throws {InputError} if a file cannot be written
   * @throws {InterruptedError} if the signal says so
   */
  prepare?(spec: S, options: PrepareOptions): Promise<void>;
  /** Files and folders that the record names. The record may be of another version, so that any of it may be missing. */
  files?(spec: { readonly [K in keyof S]?: unknown }): readonly unknown[];
  /** Modules of the user's that the record names, likewise. */
  modules?(spec: { readonly [K in keyof S]?: unknown }): readonly unknown[];
}

/** The definition with the exact type of its schema. */
export function defineSource<T extends Schema>(def: SourceDef<T>): SourceDef<T> {
  return def;
}

/** A description of samples with one label each. */
export function labelled(
  input: SourceDescription["fields"]["input"],
  train: number,
  test: number | null,
  classes: number,
): SourceDescription {
  return {
    train: { length: train },
    test: test === null ? null : { length: test },
    fields: { input, target: { shape: [], dtype: "i32" } },
    classes,
  };
}
