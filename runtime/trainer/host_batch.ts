/**
 * Batches from the caller: logical shapes, row-major order, any number of fields.
 *
 * @module
 */
import type { DType } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { toPhysical } from "../core/layout.ts";
import { formatShape, type Shape, sizeOf } from "../core/shape.ts";
import type { BatchTensors, DataArray } from "../data/shared.ts";
import type { TensorType } from "../graph/types.ts";

/** Values in row-major order (images are NCHW), with or without their shape. */
export type TrainerTensor = DataArray | { readonly shape: Shape; readonly data: DataArray };

/**
 * A batch by field: `batchSize` samples of each field that the model and the loss read, such as `{ input, target }`; with
 * `accumulate: n`, the samples of all n micro-batches of a step.
 * Floats are a `Float32Array`, class indices and other integers an `Int32Array` (`Uint32Array` for u32).
 */
export type TrainerBatch =
  | { readonly input: TrainerTensor; readonly target: TrainerTensor }
  | Readonly<Record<string, TrainerTensor>>;

/** Fields of a plan, by name. */
type Fields = Readonly<Record<string, TensorType>>;

/**
 * Returns the micro-batches of a step: the fields that a plan reads, in the plan's memory layout.
 *
 * @param count micro-batches of the step
 * @throws {InputError} if a field is missing, or has another type or size
 */
export function stepBatches(
  batch: Readonly<Record<string, TrainerTensor>>,
  fields: Fields,
  count: number,
): BatchTensors[] {
  const whole = mapFields(fields, (name, type) => {
    const data = dataOf(batch[name]);
    const shape = [type.shape[0]! * count, ...type.shape.slice(1)];
    const size = sizeOf(shape);
    if (!(data instanceof arrayType(type.dtype)) || data.length !== size) {
      throw new InputError(
        `step: ${name} is ${described(data)}, expected ${article(arrayType(type.dtype).name)} of ${size} for ` +
          formatShape(shape),
      );
    }
    return data;
  });
  return Array.from({ length: count }, (_, n) =>
    mapFields(fields, (name, { shape, layout }) => {
      const size = sizeOf(shape);
      return toPhysical(whole[name]!.subarray(n * size, (n + 1) * size), shape, layout);
    }));
}

/**
 * Returns the fields that a plan reads, and their number of samples.
 *
 * @param given a record of the fields, or the tensor of the only field
 * @throws {InputError} if a field is missing, has another type, or its size is not a multiple of a sample's
 */
export function forwardFields(
  given: TrainerTensor | TrainerBatch,
  fields: Fields,
): { readonly samples: number; readonly tensors: BatchTensors } {
  const [first] = Object.keys(fields);
  const record: Readonly<Record<string, TrainerTensor>> = isTensor(given) ? { [first!]: given } : given;
  let samples = 0;
  const tensors = mapFields(fields, (name, { shape, dtype }) => {
    const data = dataOf(record[name]);
    const size = sizeOf(shape.slice(1));
    if (!(data instanceof arrayType(dtype)) || data.length === 0 || data.length % size !== 0) {
      throw new InputError(
        `forward: ${name} is ${described(data)}, expected ${article(arrayType(dtype).name)} of a multiple of ${size} ` +
          `(samples of shape ${formatShape(shape.slice(1))})`,
      );
    }
    if (name !== first && data.length / size !== samples) {
      throw new InputError(`forward: ${name} has ${data.length / size} samples, but ${first} has ${samples}`);
    }
    samples = data.length / size;
    return data;
  });
  return { samples, tensors };
}

/**
 * Returns the batch that starts at sample `first`, in the plan's memory layout. The last batch is padded with zeros.
 */
export function batchAt(tensors: BatchTensors, fields: Fields, first: number): BatchTensors {
  return mapFields(fields, (name, { shape, dtype, layout }) => {
    const at = first * sizeOf(shape.slice(1));
    const values = new (arrayType(dtype))(sizeOf(shape));
    values.set(tensors[name]!.subarray(at, at + values.length));
    return toPhysical(values, shape, layout);
  });
}

function mapFields(fields: Fields, make: (name: string, type: TensorType) => DataArray): BatchTensors {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, make(name, type)]));
}

function isTensor(given: TrainerTensor | TrainerBatch): given is TrainerTensor {
  return ArrayBuffer.isView(given) || ("shape" in given && Array.isArray(given.shape));
}

/** Returns the values of a tensor; of anything else, which JavaScript may pass, that itself. */
function dataOf(tensor: TrainerTensor | undefined): unknown {
  if (typeof tensor !== "object" || tensor === null || ArrayBuffer.isView(tensor) || Array.isArray(tensor)) {
    return tensor;
  }
  return tensor.data;
}

/** Returns the array type for values of an element type. */
function arrayType(dtype: DType): Float32ArrayConstructor | Int32ArrayConstructor | Uint32ArrayConstructor {
  if (dtype === "i32") return Int32Array;
  return dtype === "u32" ? Uint32Array : Float32Array;
}

function described(data: unknown): string {
  if (data === undefined || data === null) return "missing";
  return ArrayBuffer.isView(data)
    ? `${article(data.constructor.name)} of ${(data as DataArray).length} values`
    : Array.isArray(data)
    ? "a list"
    : `a value of type ${typeof data}`;
}

function article(name: string): string {
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}
