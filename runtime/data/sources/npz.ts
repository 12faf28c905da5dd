import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../../core/shape.ts";
import { positiveInteger } from "../checked.ts";
import { nameOf, type NpyHeader, readNpy, readNpyHeader } from "../npy_file.ts";
import type { Order } from "../transforms/transform.ts";
import { defineSource, type Field, location, recordOf, samplesOrImages, schemaOf, type Split } from "./source_def.ts";
import type { NpzOptions, NpzSpec } from "./types.ts";

const arrays = z.strictObject({
  input: location("the name of an array, or the path of a .npy file").describe("inputs, one after the other"),
  target: location("the name of an array, or the path of a .npy file").describe("targets, one after the other"),
}, { error: 'expected a record such as { input: "x_train", target: "y_train" }' });

const npzSchema = schemaOf("npz", samplesOrImages, {
  file: location("the path of a .npz archive, or null").nullable().default(null)
    .describe(".npz archive with the arrays that train and test name; null: they name .npy files"),
  testFile: location("the path of a .npz archive, or null").nullable().default(null)
    .describe(".npz archive of the test split; null: the same as for training"),
  train: arrays.describe("arrays to train on"),
  test: arrays.nullable().default(null).describe("arrays to evaluate on"),
  order: z.enum(["chw", "hwc"], { error: 'expected "chw" or "hwc"' }).default("chw")
    .describe("memory order of three-dimensional inputs, which are images"),
  classes: positiveInteger.nullable().default(null)
    .describe("number of classes that targets index; null: one more than the largest integer target"),
});

export const npzSource = defineSource({
  schema: npzSchema,
  describe(spec) {
    const train = inspect(spec, "train")!;
    const test = inspect(spec, "test");
    for (const part of ["input", "target"] as const) if (test !== null) checkAlike(train[part], test[part]);
    const labels = targetType(train.target) === "i32";
    const classes = labels ? classesOf(spec, test === null ? [train] : [train, test]) : null;
    return {
      train: { length: train.length },
      test: test && { length: test.length },
      fields: {
        input: inputField(train.input, spec.order),
        target: { shape: train.target.shape.slice(1), dtype: targetType(train.target) },
      },
      classes,
    };
  },
  plan(spec, split) {
    const arrays = inspect(spec, split);
    if (arrays === null) return null;
    const input = readNpy(arrays.input, inputType(arrays.input));
    const target = readNpy(arrays.target, targetType(arrays.target));
    return { kind: "tensors", length: arrays.length, input, target, labels: null };
  },
  noTest: () => "; give npz({ test: { input, target } })",
  files: ({ file, testFile, train, test }) =>
    typeof file === "string"
      ? [file, testFile]
      : [train, test].flatMap((arrays) => Object.values((arrays ?? {}) as Record<string, unknown>)),
});

/** Arrays of one split: names in the archive, or paths of .npy files. */
export type NpzArrays = NpzOptions["train"];

/**
 * Loads arrays saved by NumPy, from `.npy` files or a `.npz` archive; the first dimension counts samples. uint8 inputs
 * stay bytes, others become f32. Integer targets are class indices, float targets are values. Three-dimensional samples
 * are images, and so are two-dimensional ones of bytes.
 *
 * @throws {InputError} if an option is invalid; the files are checked once the data set is used
 *
 * @example
 * ```ts
 * import { npz } from "@tacho/tacho";
 *
 * const data = npz({
 *   file: "mnist.npz",
 *   train: { input: "x_train", target: "y_train" },
 *   test: { input: "x_test", target: "y_test" },
 * });
 * ```
 */
export function npz(options: NpzOptions): NpzSpec {
  return recordOf(npzSchema, options);
}

interface Arrays {
  readonly input: NpyHeader;
  readonly target: NpyHeader;
  readonly length: number;
}

/** Reads the headers of a split's arrays; null if there is no such split. */
function inspect({ file, testFile, ...splits }: NpzSpec, split: Split): Arrays | null {
  const names = splits[split];
  if (names === null) return null;
  const archive = split === "test" ? testFile ?? file : file;
  const [input, target] = [names.input, names.target].map((name) => {
    const header = readNpyHeader(archive === null ? { file: name, name: null } : { file: archive, name });
    const { shape, place } = header;
    if (shape.length > 0 && !shape.includes(0)) return header;
    throw new InputError(`${nameOf(place)} has shape ${formatShape(shape)}; expected [samples, ...] with at least one`);
  }) as [NpyHeader, NpyHeader];
  const [length, count] = [input.shape[0]!, target.shape[0]!];
  if (length !== count) {
    throw new InputError(
      `${nameOf(input.place)} has ${length} samples, but ${nameOf(target.place)} has ${count}; ` +
        "expected one target per sample",
    );
  }
  return { input, target, length };
}

function checkAlike(train: NpyHeader, test: NpyHeader): void {
  const typeOf = ({ type, shape }: NpyHeader) => `${type} ${formatShape(shape.slice(1))}`;
  if (train.type === test.type && sameShape(train.shape.slice(1), test.shape.slice(1))) return;
  throw new InputError(
    `${nameOf(test.place)} has samples ${typeOf(test)}, but ${nameOf(train.place)} has ${typeOf(train)}; ` +
      "expected one type and shape",
  );
}

function inputType({ type }: NpyHeader): "u8" | "f32" {
  return type === "u1" ? "u8" : "f32";
}

function targetType({ type }: NpyHeader): "i32" | "f32" {
  return type.startsWith("f") ? "f32" : "i32";
}

function inputField(header: NpyHeader, order: Order): Field & { readonly dtype: "u8" | "f32" } {
  const dtype = inputType(header);
  const shape = header.shape.slice(1);
  const [a, b, c] = shape;
  if (shape.length === 2 && dtype === "u8") return { shape: [1, a!, b!], dtype };
  return shape.length === 3 && order === "hwc" ? { shape: [c!, a!, b!], dtype, order } : { shape, dtype };
}

/** Checks all class indices and returns the number of classes, counted unless the record sets it. */
function classesOf({ classes }: NpzSpec, splits: readonly Arrays[]): number {
  let count = classes ?? 1;
  for (const { target } of splits) {
    const labels = readNpy(target, "i32");
    const end = classes ?? Infinity;
    const wrong = labels.findIndex((label) => label < 0 || label >= end);
    if (wrong >= 0) {
      const sample = Math.floor(wrong / sizeOf(target.shape.slice(1)));
      throw new InputError(
        `${nameOf(target.place)}: the target of sample ${sample} is ${labels[wrong]}; expected a class index ` +
          `${classes === null ? "of at least 0" : `0..${classes - 1}; give npz({ classes }) where there are more`}`,
      );
    }
    if (classes === null) count = labels.reduce((most, label) => Math.max(most, label + 1), count);
  }
  return count;
}
