import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../../core/shape.ts";
import { readable } from "../../core/readable.ts";
import { shown } from "../../core/shown.ts";
import { positiveInteger } from "../checked.ts";
import { toShared } from "../shared.ts";
import { type CommonOptions, defineSource, recordOf, samples, sampleShape, schemaOf } from "./source_def.ts";

const inputData = z.union([z.instanceof(Float32Array), z.instanceof(Uint8Array)], {
  error: "expected a Float32Array or a Uint8Array",
});
const targetData = z.union([z.instanceof(Int32Array), z.instanceof(Float32Array)], {
  error: "expected an Int32Array of class indices or a Float32Array",
});

/** Schema of one split; shapes are those of one sample. */
const tensorSplitSchema = z.strictObject({
  input: z.strictObject({
    shape: sampleShape.describe("shape of one sample's input"),
    data: inputData.describe("inputs of all samples"),
  }),
  target: z.strictObject({
    shape: sampleShape.describe("shape of one sample's target"),
    data: targetData.describe("targets of all samples"),
  }),
});

const tensorsSchema = schemaOf("tensors", samples, {
  train: tensorSplitSchema.describe("samples to train on"),
  test: tensorSplitSchema.nullable().default(null).describe("samples to evaluate on"),
  classes: positiveInteger.nullable().default(null)
    .describe("number of classes that Int32Array targets index; null for regression"),
});

type TensorSplitSpec = z.infer<typeof tensorSplitSchema>;
export type TensorsSpec = z.infer<typeof tensorsSchema>;

export const tensorsSource = defineSource({
  schema: tensorsSchema,
  describe(spec) {
    checkTensors(spec, "data");
    const { train: { input, target }, test, classes } = spec;
    const labels = target.data instanceof Int32Array;
    return {
      train: { length: splitLength(spec.train) },
      test: test === null ? null : { length: splitLength(test) },
      fields: {
        input: { shape: input.shape, dtype: input.data instanceof Uint8Array ? "u8" : "f32" },
        target: { shape: target.shape, dtype: labels ? "i32" : "f32" },
      },
      classes: labels ? classes : null,
    };
  },
  plan(spec, split) {
    const arrays = spec[split];
    if (arrays === null) return null;
    const [input, target] = [toShared(arrays.input.data), toShared(arrays.target.data)];
    return { kind: "tensors", length: splitLength(arrays), input, target, labels: null };
  },
  noTest: () => "; give tensors({ ..., test: { input, target } })",
});

/** Samples of one split, concatenated; `shape` is that of one sample. */
export interface TensorSplitOptions {
  /** Inputs; `Uint8Array` for images with values from 0 to 255. */
  input: { shape: readonly number[]; data: Float32Array | Uint8Array };
  /** Targets. `shape` is `[]` by default: one class index or one value per sample. */
  target: { shape?: readonly number[]; data: Int32Array | Float32Array };
}

/** Options of `tensors`. */
export interface TensorsOptions extends TensorSplitOptions, CommonOptions {
  /** Samples of the test split; without them, the variants cannot be evaluated. */
  test?: TensorSplitOptions | null;
  /** Number of classes; by default one more than the largest index of an Int32Array target. */
  classes?: number;
}

/**
 * Loads samples from memory. The arrays are copied to shared memory unless they lie there already, so later changes to
 * them have no effect.
 *
 * @throws {InputError} if lengths disagree, a label is out of range or an option is invalid
 *
 * @example
 * ```ts
 * import { tensors } from "@tacho/tacho";
 *
 * const data = tensors({
 *   input: { shape: [2], data: Float32Array.of(0, 0, 0, 1, 1, 0, 1, 1) },
 *   target: { data: Int32Array.of(0, 1, 1, 0) },
 * });
 * ```
 */
export function tensors(options: TensorsOptions): TensorsSpec {
  if (typeof options !== "object" || options === null) {
    throw new InputError(`tensors() got ${shown(options)}; expected { input, target }`);
  }
  const { input, target, test = null, classes, ...rest } = readable(options, "tensors()");
  const spec = recordOf(tensorsSchema, {
    train: withShape({ input, target }),
    test: test === null ? null : withShape(test),
    classes: classes ?? null,
    ...rest,
  });
  spec.classes ??= classCount(spec);
  checkTensors(spec, "tensors()");
  return { ...spec, train: shareSplit(spec.train), test: spec.test === null ? null : shareSplit(spec.test) };
}

function withShape(split: TensorSplitOptions): unknown {
  if (typeof split?.target !== "object" || split.target === null) return split;
  return { ...split, target: { shape: [], ...split.target } };
}

function shareSplit({ input, target }: TensorSplitSpec): TensorSplitSpec {
  return {
    input: { ...input, data: toShared(input.data) },
    target: { ...target, data: toShared(target.data) },
  };
}

/** Returns one more than the largest class index of either split; null unless targets are class indices. */
function classCount(spec: TensorsSpec): number | null {
  let largest = -1;
  for (const split of [spec.train, spec.test]) {
    if (split === null || !(split.target.data instanceof Int32Array)) continue;
    for (const label of split.target.data) if (label > largest) largest = label;
  }
  return largest < 0 ? null : largest + 1;
}

/** Returns the number of samples in a split. */
function splitLength({ input }: TensorSplitSpec): number {
  return input.data.length / sizeOf(input.shape);
}

/**
 * @throws {InputError} if arrays have an incomplete sample, inputs and targets differ in number, the splits differ in
 * type, or a label is out of range
 */
function checkTensors(spec: TensorsSpec, place: string): void {
  checkSplit(spec.train, spec.classes, `${place} train`);
  if (spec.test === null) return;
  checkSplit(spec.test, spec.classes, `${place} test`);
  for (const part of ["input", "target"] as const) {
    const [train, test] = [spec.train[part], spec.test[part]];
    if (!sameShape(train.shape, test.shape)) {
      throw new InputError(
        `${place}: ${part} samples are ${formatShape(train.shape)} in train and ${formatShape(test.shape)} in test; ` +
          "expected one shape",
      );
    }
    if (train.data.constructor !== test.data.constructor) {
      throw new InputError(
        `${place}: ${part} data is ${typeName(train.data)} in train and ${typeName(test.data)} in test; ` +
          "expected one type",
      );
    }
  }
}

function checkSplit(split: TensorSplitSpec, classes: number | null, place: string): void {
  const counts = (["input", "target"] as const).map((part) => {
    const { shape, data } = split[part];
    const count = data.length / sizeOf(shape);
    if (!Number.isInteger(count) || count === 0) {
      throw new InputError(
        `${place}: ${part} has ${data.length} elements, which is not a whole number of samples ${
          formatShape(shape)
        }; ` +
          `expected a multiple of ${sizeOf(shape)}`,
      );
    }
    return count;
  });
  if (counts[0] !== counts[1]) {
    throw new InputError(
      `${place}: input has ${counts[0]} samples but target has ${counts[1]}; expected one target per sample`,
    );
  }
  const labels = split.target.data;
  if (!(labels instanceof Int32Array)) return;
  const end = classes ?? Infinity;
  const bad = labels.findIndex((label) => label < 0 || label >= end);
  if (bad < 0) return;
  throw new InputError(
    `${place}: target ${bad} is ${labels[bad]}, which is not a class index; expected ${
      classes === null ? "0 or more" : `0 to ${classes - 1}`
    }`,
  );
}

function typeName(data: ArrayBufferView): string {
  return data.constructor.name;
}
