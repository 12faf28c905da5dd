import { InputError } from "../core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../core/shape.ts";
import type { TensorSplitSpec, TensorsSpec } from "./schema.ts";

/** One more than the largest class index of either split; null where targets are no class indices. */
export function classCount(spec: TensorsSpec): number | null {
  let largest = -1;
  for (const split of [spec.train, spec.test]) {
    if (split === null || !(split.target.data instanceof Int32Array)) continue;
    for (const label of split.target.data) if (label > largest) largest = label;
  }
  return largest < 0 ? null : largest + 1;
}

/** The samples in a split. */
export function splitLength({ input }: TensorSplitSpec): number {
  return input.data.length / sizeOf(input.shape);
}

/**
 * @throws {InputError} if arrays hold no whole number of samples, inputs and targets differ in number, the splits differ
 * in type, or a label is out of range
 */
export function checkTensors(spec: TensorsSpec, place: string): void {
  checkSplit(spec.train, spec.classes, `${place} train`);
  if (spec.test === null) return;
  checkSplit(spec.test, spec.classes, `${place} test`);
  for (const part of ["input", "target"] as const) {
    const [train, test] = [spec.train[part], spec.test[part]];
    if (!sameShape(train.shape, test.shape)) {
      throw new InputError(
        `${place}: ${part} samples are ${formatShape(train.shape)} in train and ${formatShape(test.shape)} in test; ` +
          "give both splits samples of one shape",
      );
    }
    if (train.data.constructor !== test.data.constructor) {
      throw new InputError(
        `${place}: ${part} data is ${typeName(train.data)} in train and ${typeName(test.data)} in test; ` +
          "give both splits the same type",
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
        `${place}: ${part} has ${data.length} elements, which is no whole number of samples ${formatShape(shape)}; ` +
          `expected a multiple of ${sizeOf(shape)}`,
      );
    }
    return count;
  });
  if (counts[0] !== counts[1]) {
    throw new InputError(
      `${place}: input has ${counts[0]} samples but target has ${counts[1]}; give one target per sample`,
    );
  }
  const labels = split.target.data;
  if (!(labels instanceof Int32Array)) return;
  const end = classes ?? Infinity;
  const bad = labels.findIndex((label) => label < 0 || label >= end);
  if (bad < 0) return;
  throw new InputError(
    `${place}: target ${bad} is ${labels[bad]}, which is no class index; expected ${
      classes === null ? "0 or more" : `0 to ${classes - 1}`
    }`,
  );
}

function typeName(data: ArrayBufferView): string {
  return data.constructor.name;
}
