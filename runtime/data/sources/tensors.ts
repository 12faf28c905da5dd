import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../../core/shape.ts";
import { readable } from "../../core/readable.ts";
import { clipped, shown } from "../../core/shown.ts";
import { positiveInteger } from "../checked.ts";
import { toShared } from "../shared.ts";
import {
  type CommonOptions,
  defineSource,
  fieldNames,
  ignoreIndex,
  recordOf,
  sampleShape,
  samplesOrTokens,
  schemaOf,
} from "./source_def.ts";
import type { TensorsSpec } from "./types.ts";

const inputData = z.union([z.instanceof(Float32Array), z.instanceof(Int32Array), z.instanceof(Uint8Array)], {
  error: "expected a Float32Array, an Int32Array or a Uint8Array",
}).meta({ script: "Float32Array | Int32Array | Uint8Array" });
const wordData = z.union([z.instanceof(Float32Array), z.instanceof(Int32Array)], {
  error: "expected a Float32Array or an Int32Array",
}).meta({ script: "Float32Array | Int32Array" });
const targetData = z.union([z.instanceof(Int32Array), z.instanceof(Float32Array)], {
  error: "expected an Int32Array of class indices or a Float32Array",
}).meta({ script: "Int32Array | Float32Array" });

/** Schema of one split; shapes are those of one sample. */
const tensorSplitSchema = z.strictObject({
  input: z.strictObject({
    shape: sampleShape.describe("shape of one sample's input"),
    data: inputData.describe("inputs of all samples"),
  }).optional(),
  inputs: fieldNames(z.record(
    z.string(),
    z.strictObject({ shape: sampleShape, data: wordData }, { error: "expected a record { shape, data }" }),
  )).optional().describe("inputs by name, in place of `input`, for a model that takes a record"),
  target: z.strictObject({
    shape: sampleShape.describe("shape of one sample's target"),
    data: targetData.describe("targets of all samples"),
  }),
}).refine(({ input, inputs }) => (input === undefined) !== (inputs === undefined), {
  error: "expected either input: { shape, data } or inputs by name",
});

const tensorsSchema = schemaOf("tensors", samplesOrTokens, {
  train: tensorSplitSchema.describe("samples to train on"),
  test: tensorSplitSchema.nullable().default(null).describe("samples to evaluate on"),
  classes: positiveInteger.nullable().default(null)
    .describe("number of classes that Int32Array targets index; null for regression"),
  ignoreIndex,
});

type TensorSplitSpec = TensorsSpec["train"];

/** Array of one field of a split. */
interface FieldArray {
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array | Uint8Array;
}

export const tensorsSource = defineSource({
  schema: tensorsSchema,
  describe(spec) {
    checkTensors(spec, "data");
    const { train: { input, inputs, target }, test, classes } = spec;
    const labels = target.data instanceof Int32Array;
    return {
      train: { length: splitLength(spec.train) },
      test: test === null ? null : { length: splitLength(test) },
      fields: {
        ...input && { input: fieldOf(input) },
        ...Object.fromEntries(Object.entries(inputs ?? {}).map(([name, array]) => [name, fieldOf(array)])),
        target: { shape: target.shape, dtype: labels ? "i32" : "f32" },
      },
      ...inputs && { inputs: Object.keys(inputs) },
      classes: labels ? classes : null,
    };
  },
  plan(spec, split) {
    const arrays = spec[split];
    if (arrays === null) return null;
    const { input, inputs } = arrays;
    const changed = input !== undefined && !(input.data instanceof Int32Array) ? input.data : null;
    const others = inputs ?? (changed === null ? { input: input! } : {});
    return {
      kind: "tensors",
      length: splitLength(arrays),
      input: changed && toShared(changed),
      others: Object.fromEntries(Object.entries(others).map(([name, { data }]) => [name, toShared(data)])),
      target: toShared(arrays.target.data),
      labels: null,
    };
  },
  noTest: () => "; give tensors({ ..., test: { input, target } })",
});

function fieldOf<D extends FieldArray["data"]>({ shape, data }: FieldArray & { data: D }) {
  const dtype = data instanceof Uint8Array ? "u8" : data instanceof Int32Array ? "i32" : "f32";
  return { shape, dtype: dtype as D extends Uint8Array ? "u8" : D extends Int32Array ? "i32" : "f32" };
}

/** Inputs of one split; `shape` is that of one sample. */
export interface InputArray {
  shape: readonly number[];
  /** `Int32Array` for indices such as tokens, `Uint8Array` for images with values from 0 to 255. */
  data: Float32Array | Int32Array | Uint8Array;
}

/** Samples of one split, concatenated; `shape` is that of one sample. */
export interface TensorSplitOptions {
  /** Inputs of a model that takes one tensor. */
  input?: InputArray | undefined;
  /** Inputs by name, in place of `input`, of a model that takes a record of tensors. */
  inputs?: Readonly<Record<string, InputArray & { data: Float32Array | Int32Array }>> | undefined;
  /** Targets. `shape` is `[]` by default: one class index or one value per sample. */
  target: { shape?: readonly number[]; data: Int32Array | Float32Array };
}

/** Options of `tensors`. */
export interface TensorsOptions extends TensorSplitOptions, CommonOptions {
  /** Samples of the test split; without them, the variants cannot be evaluated. */
  test?: TensorSplitOptions | null;
  /** Number of classes; by default one more than the largest index of an Int32Array target. */
  classes?: number;
  /** Class index of ignored targets, which add neither loss nor gradient. Default: -100. */
  ignoreIndex?: number;
  /** Unit of throughput: whole samples, or the tokens of their first input. Default: `"samples"`. */
  unit?: "samples" | "tokens";
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
 *
 * @example Two inputs and a target for each token
 * ```ts
 * import { tensors } from "@tacho/tacho";
 *
 * const data = tensors({
 *   inputs: {
 *     tokens: { shape: [8], data: new Int32Array(64 * 8) },
 *     segments: { shape: [8], data: new Int32Array(64 * 8) },
 *   },
 *   target: { shape: [8], data: new Int32Array(64 * 8) },
 *   classes: 100,
 * });
 * ```
 */
export function tensors(options: TensorsOptions): TensorsSpec {
  if (typeof options !== "object" || options === null) {
    throw new InputError(`tensors() got ${shown(options)}; expected { input, target }`);
  }
  const { input, inputs, target, test = null, classes, ...rest } = readable(options, "tensors()");
  refuseBareArrays({ input, inputs, target }, "tensors()");
  if (test !== null) refuseBareArrays(test, "tensors().test");
  const spec = recordOf(tensorsSchema, {
    train: withShape({ ...input && { input }, ...inputs && { inputs }, target }),
    test: test === null ? null : withShape(test),
    classes: classes ?? null,
    ...rest,
  });
  spec.classes ??= classCount(spec);
  checkTensors(spec, "tensors()");
  return { ...spec, train: shareSplit(spec.train), test: spec.test === null ? null : shareSplit(spec.test) };
}

/**
 * Refuses arrays where records with arrays are expected, since the schema would list their elements as unknown keys.
 *
 * @throws {InputError} if a field is an array
 */
function refuseBareArrays(
  { input, inputs, target }: Partial<Record<keyof TensorSplitOptions, unknown>>,
  place: string,
): void {
  const named = typeof inputs === "object" && inputs !== null
    ? Object.entries(inputs).map(([name, value]) => [`inputs.${clipped(name)}`, value] as const)
    : [];
  for (const [name, value] of [["input", input], ...named, ["target", target]] as const) {
    if (!Array.isArray(value) && !ArrayBuffer.isView(value)) continue;
    const example = name === "target"
      ? "{ data: Int32Array.of(0, 1) }"
      : "{ shape: [2], data: Float32Array.of(0, 1, 1, 0) }, with the shape of one sample";
    throw new InputError(`${place}.${name} is ${shown(value)}; expected a record such as ${example}`);
  }
}

function withShape(split: TensorSplitOptions): unknown {
  if (typeof split?.target !== "object" || split.target === null) return split;
  return { ...split, target: { shape: [], ...split.target } };
}

function shareSplit({ input, inputs, target }: TensorSplitSpec): TensorSplitSpec {
  const share = <T extends FieldArray>(array: T): T => ({ ...array, data: toShared(array.data) });
  return {
    ...input && { input: share(input) },
    ...inputs && { inputs: Object.fromEntries(Object.entries(inputs).map(([name, array]) => [name, share(array)])) },
    target: share(target),
  };
}

/** Returns the arrays of a split by field. */
function arraysOf({ input, inputs, target }: TensorSplitSpec): Record<string, FieldArray> {
  return { ...input && { input }, ...inputs, target };
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
function splitLength(split: TensorSplitSpec): number {
  const [{ shape, data }] = Object.values(arraysOf(split)) as [FieldArray];
  return data.length / sizeOf(shape);
}

/**
 * @throws {InputError} if arrays have an incomplete sample, fields differ in number, the splits differ in their fields or
 * types, or a label is out of range
 */
function checkTensors(spec: TensorsSpec, place: string): void {
  const { train, test, classes, ignoreIndex } = spec;
  checkSplit(train, classes, ignoreIndex, `${place} train`);
  if (test === null) return;
  checkSplit(test, classes, ignoreIndex, `${place} test`);
  const [own, others] = [arraysOf(train), arraysOf(test)];
  if (Object.keys(own).toSorted().join() !== Object.keys(others).toSorted().join()) {
    throw new InputError(
      `${place}: train has ${Object.keys(own).join(", ")} and test has ${
        Object.keys(others).join(", ")
      }; expected the ` +
        "same fields",
    );
  }
  for (const [part, first] of Object.entries(own)) {
    const second = others[part]!;
    if (!sameShape(first.shape, second.shape)) {
      throw new InputError(
        `${place}: ${part} samples are ${formatShape(first.shape)} in train and ${
          formatShape(second.shape)
        } in test; ` +
          "expected one shape",
      );
    }
    if (first.data.constructor !== second.data.constructor) {
      throw new InputError(
        `${place}: ${part} data is ${typeName(first.data)} in train and ${typeName(second.data)} in test; ` +
          "expected one type",
      );
    }
  }
}

function checkSplit(split: TensorSplitSpec, classes: number | null, ignored: number, place: string): void {
  const counts = Object.entries(arraysOf(split)).map(([part, { shape, data }]) => {
    const count = data.length / sizeOf(shape);
    if (!Number.isInteger(count) || count === 0) {
      throw new InputError(
        `${place}: ${part} has ${data.length} elements, which is not a whole number of samples ${
          formatShape(shape)
        }; ` +
          `expected a multiple of ${sizeOf(shape)}`,
      );
    }
    return [part, count] as const;
  });
  const [first, samples] = counts[0]!;
  const [other, found] = counts.find(([, count]) => count !== samples) ?? [first, samples];
  if (found !== samples) {
    throw new InputError(
      `${place}: ${first} has ${samples} samples but ${other} has ${found}; expected one ${other} per sample`,
    );
  }
  const labels = split.target.data;
  if (!(labels instanceof Int32Array)) return;
  const end = classes ?? Infinity;
  const bad = labels.findIndex((label) => label !== ignored && (label < 0 || label >= end));
  if (bad < 0) return;
  throw new InputError(
    `${place}: target ${bad} is ${labels[bad]}, which is not a class index; expected ${
      classes === null ? "0 or more" : `0 to ${classes - 1}`
    }, or ${ignored} (ignoreIndex) for ignored targets`,
  );
}

function typeName(data: ArrayBufferView): string {
  return data.constructor.name;
}
