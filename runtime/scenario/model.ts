import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { reasonOf, shown } from "../core/shown.ts";
import { isLayer, kindOf, type Layer, layer } from "../nn/layer.ts";
import type { Model } from "../nn/multi_input.ts";
import type { DataSpec } from "../data/sources/sources.ts";
import { equal } from "./duplicates.ts";
import { type ModelData, modelData } from "./model_data.ts";

const HINT = "wrap a custom layer in layer((x) => ...)";

/**
 * Builds a scenario's model. A marked layer is the model. Any other function is called with the parameters and the data's
 * description if the scenario declares parameters or the function does not take one argument; otherwise it is the model
 * itself.
 *
 * @throws {InputError} if `model` is not a function, or returns something other than a layer
 */
export function buildModel(
  model: unknown,
  params: Readonly<Record<string, unknown>>,
  data: ModelData,
): Model | null {
  if (model === null || model === undefined) return null;
  if (isLayer(model)) return model;
  if (typeof model !== "function") {
    throw new InputError(`model: expected a layer or a function that returns one, got ${kindOf(model)}`);
  }
  if (Object.keys(params).length === 0 && model.length === 1) return layer(model as Layer);
  const made = call(model as ModelFunction, params, data);
  if (isLayer(made)) return made;
  if (typeof made === "function") return layer(made as Layer);
  throw new InputError(
    `model: expected the function to return a layer, got ${kindOf(made)}; ${HINT}`,
  );
}

/** A model with what it was built from. */
interface Built {
  readonly written: unknown;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data: DataSpec;
  readonly model: Model | null;
}

/** Builds the models of a scenario's variants. Those with equal parameters and data share one. */
export class ModelBuilder {
  readonly #built: Built[] = [];

  /** Returns a model as {@linkcode buildModel} does. */
  build(written: unknown, params: Readonly<Record<string, unknown>>, data: DataSpec): Model | null {
    const known = this.#built.find((built) =>
      built.written === written && equal(built.params, params) && equal(built.data, data)
    );
    if (known !== undefined) return known.model;
    const model = buildModel(written, params, modelData(data));
    this.#built.push({ written, params, data, model });
    return model;
  }
}

type ModelFunction = (params: unknown, data: ModelData) => unknown;

function call(model: ModelFunction, params: Readonly<Record<string, unknown>>, data: ModelData): unknown {
  try {
    return model(params, data);
  } catch (error) {
    if (isInstance(error, InputError) && error.message.startsWith("data: ")) throw error;
    const given = `called with parameters ${shown(params, 200)}`;
    if (isInstance(error, InputError) && !/expected (a|two) tensors?/.test(error.message)) {
      throw new InputError(`model: ${error.message}`, { cause: error });
    }
    const message = reasonOf(error);
    throw new InputError(`model: ${message}; ${given}. If the function is the model itself, ${HINT}`, { cause: error });
  }
}
