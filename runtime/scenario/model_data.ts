import { InputError } from "../core/errors.ts";
import type { Shape } from "../core/shape.ts";
import { type DatasetDescription, describeDataset } from "../data/describe.ts";
import type { DataSpec } from "../data/sources/sources.ts";

/** Shape of one sample, without the batch dimension, and element type. */
export interface ModelField {
  /** `[channels, height, width]` for images, `[context]` for tokens. */
  readonly shape: Shape;
  readonly dtype: "f32" | "i32";
}

/** Properties of the data, as passed to a model's function. Each field is read from the data set when it is first used. */
export interface ModelData {
  /** Number of classes that targets index: the vocabulary, where targets are tokens. */
  readonly classes: number;
  /** The model's input after the transforms. */
  readonly input: ModelField;
  /** All inputs, by name, of a model that takes a record of tensors. */
  readonly inputs: Readonly<Record<string, ModelField>>;
  readonly target: ModelField;
}

/**
 * Describes a data set for a model's function.
 *
 * @throws {InputError} on access to a field, if the data set cannot be described or has no such field
 */
export function modelData(spec: DataSpec): ModelData {
  let described: DatasetDescription | null = null;
  const read = () => {
    try {
      return described ??= describeDataset(spec);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(`data: ${error.message}`, { cause: error });
    }
  };
  return {
    get classes() {
      return read().classes ?? refuse("the model asks for data.classes, but the targets are values, not class indices");
    },
    get input() {
      return read().input ?? refuse(
        `the model asks for data.input, but there are several: ${
          Object.keys(read().inputs).join(", ")
        }; use data.inputs`,
      );
    },
    get inputs() {
      return read().inputs;
    },
    get target() {
      return read().target;
    },
  };
}

function refuse(message: string): never {
  throw new InputError(`data: ${message}`);
}
