import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { checked, positiveInteger } from "../checked.ts";
import { moduleInfo, moduleUrl } from "../module_info.ts";
import { common, type CommonOptions, defineSource, location, sampleShape } from "./source_def.ts";

const sourceSchema = z.strictObject({
  kind: z.literal("source"),
  module: location("a module's address or path").describe("module that exports length and get(index)"),
  test: location("a module's address or path, or null").nullable().default(null).describe(
    "the same for the test split",
  ),
  input: z.strictObject({
    shape: sampleShape.describe("shape of one sample's input; [channels, height, width] for images"),
    dtype: z.enum(["u8", "f32"], { error: 'expected "u8" or "f32"' }).default("f32")
      .describe("u8: get returns a Uint8Array, f32: a Float32Array"),
  }),
  target: z.strictObject({
    shape: sampleShape.default([]).describe("shape of one sample's target"),
    dtype: z.enum(["i32", "f32"], { error: 'expected "i32" or "f32"' }).default("i32")
      .describe("i32: class indices, f32: values"),
  }).prefault({}),
  fields: z.record(
    z.string(),
    z.strictObject({
      shape: sampleShape.default([]).describe("shape of one sample"),
      dtype: z.enum(["u8", "i32", "u32", "f32"], { error: 'expected "u8", "i32", "u32" or "f32"' }),
    }),
  ).refine((fields) => Object.keys(fields).every((name) => /^(?!(input|target)$)[a-zA-Z]\w*$/.test(name)), {
    error: "expected names of letters and digits other than input and target",
  }).optional().describe("further tensors of each sample, by name"),
  classes: positiveInteger.nullable().default(null).describe("number of classes that targets index"),
  length: positiveInteger.nullable().default(null)
    .describe("samples in the training split; null: the module is asked, which must then have no top-level await"),
  testLength: positiveInteger.nullable().default(null).describe("the same for the test split"),
  ...common,
  unit: z.enum(["samples", "images"], { error: 'expected "samples" or "images"' }).default("samples")
    .describe("what samples are called"),
});

export type SourceSpec = z.infer<typeof sourceSchema>;

export const moduleSource = defineSource({
  schema: sourceSchema,
  factory: "source()",
  describe({ module, test, input, target, fields, classes, length, testLength }) {
    if (target.dtype === "i32" && target.shape.length === 0 && classes === null) {
      throw new InputError("data.classes is null, but the targets are class indices; give source({ classes })");
    }
    return {
      train: { length: moduleInfo(module, length).length },
      test: test === null ? null : { length: moduleInfo(test, testLength).length },
      fields: { ...fields, input, target },
      classes: target.dtype === "i32" ? classes : null,
    };
  },
  plan(spec, split) {
    const module = split === "train" ? spec.module : spec.test;
    if (module === null) return null;
    const { length, sequential } = moduleInfo(module, split === "train" ? spec.length : spec.testLength);
    return { kind: "module", url: moduleUrl(module), length, ...(sequential ? { sequential } : {}) };
  },
  noTest: () => "; give source({ test })",
  modules: ({ module, test }) => [module, test],
});

/** What `source` takes. */
export interface SourceOptions extends CommonOptions {
  /** The module's address, such as `import.meta.resolve("./samples.ts")`, or a path from the current folder. */
  module: string;
  /** Another module, for the test split. */
  test?: string | null;
  /** One sample's input; `[channels, height, width]` is an image. */
  input: { shape: number[]; dtype?: "u8" | "f32" };
  /** One sample's target; a class index when left out. */
  target?: { shape?: number[]; dtype?: "i32" | "f32" };
  /** Further tensors of each sample, which reach the device as they are; rows of u8 as words of four. */
  fields?: Record<string, { shape?: number[]; dtype: "u8" | "i32" | "u32" | "f32" }>;
  classes?: number | null;
  /** Where the module cannot say it at once, since it has a top-level await. */
  length?: number | null;
  testLength?: number | null;
  unit?: "samples" | "images";
}

/**
 * Samples from a module of your own, which is imported where batches are made. It exports `length` and
 * `get(index)`, which returns `{ input, target }` or a promise of it: a Float32Array (or a Uint8Array for `dtype: "u8"`)
 * and a number or a list of them; and a typed array for each of the further `fields`. A module whose samples come in one order only exports `samples(epoch)` instead, which
 * returns an iterable of such records.
 *
 * @throws {InputError} if an option is invalid; the module itself is looked at by `describeDataset`
 */
export function source(options: SourceOptions): SourceSpec {
  return checked(sourceSchema, { kind: "source", ...options }, "source()");
}
