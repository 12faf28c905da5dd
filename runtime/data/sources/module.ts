import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import { positiveInteger } from "../checked.ts";
import { moduleInfo, moduleUrl } from "../module_info.ts";
import {
  anyUnit,
  type CommonOptions,
  defineSource,
  fieldNames,
  ignoreIndex,
  type InputField,
  location,
  recordOf,
  sampleShape,
  schemaOf,
} from "./source_def.ts";
import type { SourceSpec } from "./types.ts";

/** Returns the schema of a field's record, with a message for a bare list of sizes. */
function fieldRecord<F extends z.ZodRawShape>(fields: F) {
  return z.strictObject(fields, {
    error: ({ input }) => {
      const sizes = Array.isArray(input) && input.every((size) => Number.isInteger(size))
        ? input as number[]
        : [1, 28, 28];
      return `expected a record such as { shape: ${formatShape(sizes)} }`;
    },
  });
}

const moduleSchema = schemaOf("source", anyUnit, {
  module: location("a module's URL or path").describe("module that exports length and get(index)"),
  test: location("a module's URL or path, or null").nullable().default(null)
    .describe("the same for the test split"),
  input: fieldRecord({
    shape: sampleShape.describe("shape of one sample's input; [channels, height, width] for images"),
    dtype: z.enum(["u8", "f32", "i32"], { error: 'expected "u8", "f32" or "i32"' }).default("f32")
      .describe("array that get returns; u8: Uint8Array, f32: Float32Array, i32: Int32Array"),
  }).optional(),
  inputs: fieldNames(z.record(
    z.string(),
    fieldRecord({
      shape: sampleShape.describe("shape of one sample"),
      dtype: z.enum(["f32", "i32"], { error: 'expected "f32" or "i32"' }).default("f32"),
    }),
  )).optional().describe("inputs by name, in place of `input`, for a model that takes a record"),
  target: fieldRecord({
    shape: sampleShape.default([]).describe("shape of one sample's target"),
    dtype: z.enum(["i32", "f32"], { error: 'expected "i32" or "f32"' }).default("i32")
      .describe("i32: class indices, f32: values"),
  }).prefault({}),
  fields: fieldNames(z.record(
    z.string(),
    fieldRecord({
      shape: sampleShape.default([]).describe("shape of one sample"),
      dtype: z.enum(["u8", "i32", "u32", "f32"], { error: 'expected "u8", "i32", "u32" or "f32"' }),
    }),
  )).optional().describe("additional tensors of each sample, by name"),
  classes: positiveInteger.nullable().default(null).describe("number of classes that targets index"),
  ignoreIndex,
  length: positiveInteger.nullable().default(null)
    .describe("samples in the training split; null reads the module's length, which rules out a top-level await"),
  testLength: positiveInteger.nullable().default(null).describe("the same for the test split"),
});

export const moduleSource = defineSource({
  schema: moduleSchema,
  describe({ module, test, input, inputs, target, fields, classes, length, testLength }) {
    if (target.dtype === "i32" && target.shape.length === 0 && classes === null) {
      throw new InputError("data.classes is null, but the targets are class indices; give source({ classes })");
    }
    if ((input === undefined) === (inputs === undefined)) {
      throw new InputError(
        `data has ${
          input === undefined ? "no input" : "input and inputs"
        }; give source({ input: { shape } }), or inputs ` +
          "by name for a model that takes a record",
      );
    }
    const shared = Object.keys(inputs ?? {}).find((name) => Object.hasOwn(fields ?? {}, name));
    if (shared !== undefined) throw new InputError(`data.fields.${shared} is also one of the inputs; leave one out`);
    return {
      train: { length: moduleInfo(module, length).length },
      test: test === null ? null : { length: moduleInfo(test, testLength).length },
      fields: { ...fields, ...inputs, ...input && { input: input as InputField }, target },
      ...inputs && { inputs: Object.keys(inputs) },
      classes: target.dtype === "i32" ? classes : null,
    };
  },
  plan(spec, split) {
    const module = split === "train" ? spec.module : spec.test;
    if (module === null) return null;
    const { length, sequential } = moduleInfo(module, split === "train" ? spec.length : spec.testLength);
    const { ignoreIndex } = spec;
    return { kind: "module", url: moduleUrl(module), length, ignoreIndex, ...(sequential ? { sequential } : {}) };
  },
  noTest: () => "; give source({ test })",
  modules: ({ module, test }) => [module, test],
});

/** Options of `source`. */
export interface SourceOptions extends CommonOptions {
  /**
   * URL of the module, such as `import.meta.resolve("./samples.ts")` or `new URL("./samples.ts", import.meta.url)`, or a
   * path from the current folder.
   */
  module: string | URL;
  /** Module of the test split. */
  test?: string | URL | null;
  /** Input of one sample; `[channels, height, width]` is an image. An i32 input, such as tokens, is left unchanged. */
  input?: { shape: number[]; dtype?: "u8" | "f32" | "i32" };
  /** Inputs by name, in place of `input`, of a model that takes a record of tensors. */
  inputs?: Record<string, { shape: number[]; dtype?: "f32" | "i32" }>;
  /** Target of one sample; a class index by default. */
  target?: { shape?: number[]; dtype?: "i32" | "f32" };
  /** Additional tensors of each sample, which losses in code can read; u8 values are packed four to a word. */
  fields?: Record<string, { shape?: number[]; dtype: "u8" | "i32" | "u32" | "f32" }>;
  /** Number of classes; required for class indices. */
  classes?: number | null;
  /** Class index of ignored targets, which add neither loss nor gradient. Default: -100. */
  ignoreIndex?: number;
  /** Samples in the training split; required if the module has a top-level await. */
  length?: number | null;
  /** Samples in the test split, likewise. */
  testLength?: number | null;
  /** Unit of throughput: samples, images, or the tokens of each sample's first input. Default: `"samples"`. */
  unit?: "samples" | "images" | "tokens";
}

/**
 * Loads samples from your own module, which workers import. It exports `length` and `get(index)`, which returns
 * `{ input, target }` or a promise of it: a Float32Array (a Uint8Array for `dtype: "u8"`, an Int32Array for `"i32"`), a
 * number or a list of numbers, and a typed array for each of the `inputs` and additional `fields`. A module whose samples arrive in one order exports
 * `samples(epoch)` instead, which returns an iterable of such records.
 *
 * @throws {InputError} if an option is invalid; the module is checked once the data set is used
 *
 * @example
 * ```ts
 * import { source } from "@tacho/tacho";
 *
 * // samples.ts: export const length = 1000; export const get = (i: number) => ({ input: new Float32Array(8), target: i % 2 });
 * const data = source({ module: import.meta.resolve("./samples.ts"), input: { shape: [8] }, classes: 2 });
 * ```
 */
export function source(options: SourceOptions): SourceSpec {
  const { module, test } = options;
  return recordOf(moduleSchema, {
    ...options,
    module: textOf(module),
    ...test === undefined ? {} : { test: textOf(test) },
  });
}

/** Returns the text of a URL, since records are plain data; other values stay as they are for the schema to check. */
function textOf<T>(value: T | URL): T | string {
  return value instanceof URL ? value.href : value;
}
