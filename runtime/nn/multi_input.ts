import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { suggestion } from "../core/nearest.ts";
import { Tensor } from "../graph/op.ts";
import { isLayer, kindOf, layerInfo, type LayerMark, type MarkedLayer, markLayer } from "./layer.ts";

/** Tensors by name. */
export type Tensors = Readonly<Record<string, Tensor>>;

/** A model that takes a record of tensors. */
export interface MultiInputModel extends LayerMark {
  (inputs: Tensors): Tensor;
}

/** A model: of one tensor, or of several by name. */
export type Model = MarkedLayer | MultiInputModel;

/**
 * Creates a model of several inputs: `build` gets the tensors of a batch that the data calls its inputs, by name. Layers
 * created inside `build` are new in each application; create them outside to share weights.
 *
 * @example
 * ```ts
 * import { add, embedding, linear, mean, multiInput, sequential, type Tensor } from "@tacho/tacho";
 *
 * const words = embedding(1000, 32);
 * const kinds = embedding(2, 32);
 * const head = linear(5);
 * const model = multiInput(({ tokens, segments }: { tokens: Tensor; segments: Tensor }) =>
 *   head(mean(add(words(tokens), kinds(segments)), { axes: 1 }))
 * );
 * ```
 *
 * @param title name in reports
 * @throws {InputError} if `build` is not a function; on application, if it reads an input that the data does not have
 */
export function multiInput<T extends Tensors = Tensors>(build: (inputs: T) => Tensor, title?: string): MultiInputModel {
  if (typeof build !== "function" || isLayer(build)) {
    throw new InputError(
      `multiInput: expected a function from a record of tensors to a tensor, got ${kindOf(build)}`,
    );
  }
  const model = (inputs: Tensors): Tensor => {
    if (isInstance(inputs, Tensor)) {
      throw new InputError(
        "multiInput: makes a whole model, but it was applied to a tensor; use layer(...) inside one",
      );
    }
    const y: unknown = build(checkedTensors(inputs, "model: reads the input") as T);
    if (isInstance(y, Tensor)) return y;
    throw new InputError(
      `multiInput: expected the function to return a tensor, got ${kindOf(y)}` +
        (isLayer(y) ? "; apply that layer, as in relu()(x)" : ""),
    );
  };
  return markLayer(model, { type: "multiInput", leaf: false, record: true, ...title === undefined ? {} : { title } });
}

/** Returns true for a model that takes a record of tensors. */
export function isMultiInput(model: Model): model is MultiInputModel {
  return layerInfo(model)?.record ?? false;
}

/**
 * Returns a record that refuses names it does not have, since they would be `undefined` deep inside a layer.
 *
 * @param what start of the message
 */
export function checkedTensors(tensors: Tensors, what: string): Tensors {
  return new Proxy(tensors, {
    get(target, name, receiver) {
      if (typeof name !== "string" || name in target) return Reflect.get(target, name, receiver);
      const names = Object.keys(target);
      throw new InputError(
        `${what} "${name}", which the data does not have${suggestion(name, names)}`,
      );
    },
  });
}
