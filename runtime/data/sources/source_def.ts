/**
 * The definition of a data source. Each source is a file in this folder and a line in `sources.ts`.
 *
 * @module
 */
import { z } from "zod";
import { type Shape, sizeOf } from "../../core/shape.ts";
import { InputError } from "../../core/errors.ts";
import { readable } from "../../core/readable.ts";
import { shown } from "../../core/shown.ts";
import { cacheSchema, withCache } from "../cache/settings.ts";
import { checked, milliseconds, positiveInteger } from "../checked.ts";
import type { DataPackage } from "../data_package.ts";
import { kindOf } from "../kinds.ts";
import type { ReaderPlan } from "../readers/reader.ts";
import type { SourcePlan } from "../readers/readers.ts";
import { transformSchema } from "../transforms/schema.ts";
import type { Order, SampleType } from "../transforms/transform.ts";

export type { CommonOptions } from "./types.ts";

/** Fields of every source's record. */
export const commonFields = {
  transforms: z.array(transformSchema, { error: "expected a list of transforms" }).default([])
    .describe("transforms of each sample, in order"),
  fuse: z.boolean({ error: "expected true or false" }).default(true)
    .describe("run neighbouring transforms in one pass; false runs them separately, with the same results"),
  placement: z.enum(["host", "device"], { error: 'expected "host" or "device"' }).default("host")
    .describe("device: run crops, flips and normalize at the end of the transforms on the GPU, and upload bytes"),
  cache: cacheSchema,
  delay: z.strictObject({
    read: milliseconds.default(0).describe("milliseconds to sleep after reading each sample, to study starvation"),
    decode: milliseconds.default(0).describe("milliseconds to sleep after decoding each sample"),
    collate: milliseconds.default(0).describe("milliseconds to sleep while collating each batch"),
  }).prefault({}).describe("sleeps, to study starvation"),
};

const UNIT = "unit of throughput in reports";

/** Unit of throughput. A sample is one image or one sample, and as many tokens as its first input has positions. */
export type Unit = "images" | "samples" | "tokens";

/** Values of `unit`: one only, or a choice. */
export const images = z.literal("images").default("images").describe(UNIT);
export const tokens = z.literal("tokens").default("tokens").describe(UNIT);
export const samplesOrTokens = z.enum(["samples", "tokens"], { error: 'expected "samples" or "tokens"' })
  .default("samples").describe(UNIT);
export const samplesOrImages = z.enum(["samples", "images"], { error: 'expected "samples" or "images"' })
  .default("samples").describe(UNIT);
export const anyUnit = z.enum(["samples", "images", "tokens"], { error: 'expected "samples", "images" or "tokens"' })
  .default("samples").describe(UNIT);

/** Returns the schema of a source's record: its own fields and those of every source. */
export function schemaOf<K extends string, F extends z.ZodRawShape, U extends z.ZodType<Unit>>(
  kind: K,
  unit: U,
  fields: F,
) {
  return z.strictObject({ kind: z.literal(kind), ...fields, ...commonFields, unit });
}

/**
 * Makes a record with its defaults filled in.
 *
 * @throws {InputError} if an option is invalid
 */
export function recordOf<T extends Schema>(
  schema: T,
  options: object,
  factory = `${kindOf({ schema })}()`,
): z.output<T> {
  const given: unknown = readable(options, factory);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InputError(`${factory} got ${shown(given)}; expected a record of options such as { file: ... }`);
  }
  return checked(schema, { kind: kindOf({ schema }), ...withCache(given) }, factory);
}

/** Returns the schema of a path or URL; `what` names it in messages. */
export function location(what: string) {
  return z.string({ error: `expected ${what}` }).min(1, { error: `expected ${what}` });
}

/** Schema of the shape of one sample. */
export const sampleShape = z.array(positiveInteger, { error: "expected a list of sizes" });

/** Class index of targets that `crossEntropy` ignores by default, as in PyTorch. */
export const ignoreIndex = z.int({ error: "expected a whole number" }).default(-100)
  .describe("class index of ignored targets, which add neither loss nor gradient");

/** Checks the names of a record of fields. */
export function fieldNames<T extends z.ZodType<Readonly<Record<string, unknown>>>>(record: T): T {
  return record.refine((fields) => Object.keys(fields).every((name) => /^(?!(input|target)$)[a-zA-Z]\w*$/.test(name)), {
    error: "expected names of letters and digits other than input and target",
  });
}

export type Split = "train" | "test";

/** Named part of a sample from a source. */
export interface Field {
  /** Sizes that differ from sample to sample are null. `[channels, height, width]` is an image, all else one row. */
  readonly shape: readonly (number | null)[];
  readonly dtype: "u8" | "i32" | "u32" | "f32";
  /** Memory order of an image; `chw` by default. */
  readonly order?: Order;
}

/** Field of inputs that transforms change. */
export type InputField = Field & { readonly dtype: "u8" | "f32" };

/** Returns the type of the samples that transforms change; null if inputs are copied unchanged. */
export function sampleType({ input }: SourceDescription["fields"]): SampleType | null {
  if (input === undefined || input.dtype === "i32") return null;
  const { shape, dtype, order = "chw" } = input;
  if (shape.length !== 3) {
    return { dtype, channels: 1, height: 1, width: sizeOf(shape as Shape), order: "chw", image: false };
  }
  const [channels, height, width] = shape as readonly [number, number | null, number | null];
  return { dtype, channels, height, width, order, image: true };
}

/** Content of a source, before the transforms. */
export interface SourceDescription {
  /** Samples in each split. */
  readonly train: { readonly length: number };
  readonly test: { readonly length: number } | null;
  readonly fields: {
    /** The model's input; absent if it takes several. i32 inputs are copied to the batch unchanged. */
    readonly input?: InputField | (Field & { readonly dtype: "i32" });
    /** i32 targets are class indices. */
    readonly target: Field & { readonly shape: Shape; readonly dtype: "i32" | "f32" };
    /** Further fields are copied to the batch unchanged. */
    readonly [name: string]: Field | undefined;
  };
  /** Names of the fields that the model takes as a record; absent if it takes `input`. */
  readonly inputs?: readonly string[];
  /** Number of classes; null unless targets are class indices. */
  readonly classes: number | null;
}

/** Progress and cancellation of the preparation of a data set. */
export interface PrepareOptions {
  /** Called with the finished fraction, from 0 to 1, and a phrase that names the work; never called without work. */
  readonly onProgress?: (fraction: number, doing: string) => void;
  /** Aborts the preparation with an InterruptedError and removes its files. */
  readonly signal?: AbortSignal;
}

type Schema = z.ZodObject<{ kind: z.ZodLiteral<string>; unit: z.ZodType<Unit> } & typeof commonFields>;

type OwnPlan<P> = P extends SourcePlan ? Omit<P, Exclude<keyof ReaderPlan, "kind" | "length" | "sequential">> : never;

/** Plan without the fields that follow from the description. */
export type SplitPlan = OwnPlan<SourcePlan>;

/** Definition of a data source; `S` is its record. */
export interface SourceDef<T extends Schema = Schema, S = z.infer<T>> {
  readonly schema: T;
  /** Factory that messages suggest; `${kind}()` by default. */
  readonly factory?: string;
  /**
   * Loads code that `describe` needs; without it, `describe` can count no samples.
   *
   * @throws {InputError} if it cannot be loaded
   */
  load?(spec: S): Promise<void>;
  /**
   * Describes the source by names, sizes and headers of files. Reads no samples.
   *
   * @throws {InputError} if files are missing or have the wrong size, or tensors disagree
   */
  describe(spec: S): SourceDescription;
  /**
   * Plans how a split is read; null if the source does not have it.
   *
   * @throws {InputError} as `describe`, or if files that are read completely are damaged
   */
  plan(spec: S, split: Split): SplitPlan | null;
  /** Ends the message about a missing test split: a colon and the reason, or a semicolon and the fix. */
  noTest?(spec: S): string;
  /**
   * Prepares the source once, before it is read.
   *
   * @throws {InputError} if a file cannot be written
   * @throws {InterruptedError} if the signal is aborted
   */
  prepare?(spec: S, options: PrepareOptions): Promise<void>;
  /** Lists files and folders of a record. Fields can be missing, since the record may be from another version. */
  files?(spec: { readonly [K in keyof S]?: unknown }): readonly unknown[];
  /** Lists the user's modules in a record, likewise. */
  modules?(spec: { readonly [K in keyof S]?: unknown }): readonly unknown[];
  /** Lists the packages that make samples of the files of a record, likewise. */
  packages?(spec: { readonly [K in keyof S]?: unknown }): readonly DataPackage[];
}

/** Returns the definition with the exact type of its schema. */
export function defineSource<T extends Schema>(def: SourceDef<T>): SourceDef<T> {
  return def;
}

/** Describes samples with one label each. */
export function labelled(
  input: InputField,
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
