import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { reasonOf, shown } from "../core/shown.ts";
import { isLayer, kindOf, type Layer, layer } from "../nn/layer.ts";
import type { Model } from "../nn/multi_input.ts";

const HINT = "wrap a custom layer in layer((x) => ...)";

/**
 * Builds a scenario's model. A marked layer is the model. Any other function is called with the parameters if the scenario
 * declares some or the function takes no argument; otherwise it is the model itself.
 *
 * @throws {InputError} if `model` is not a function, or returns something other than a layer
 */
export function buildModel(model: unknown, params: Readonly<Record<string, unknown>>): Model | null {
  if (model === null || model === undefined) return null;
  if (isLayer(model)) return model;
  if (typeof model !== "function") {
    throw new InputError(`model: expected a layer or a function that returns one, got ${kindOf(model)}`);
  }
  if (Object.keys(params).length === 0 && model.length > 0) return layer(model as Layer);
  const made = call(model as (params: unknown) => unknown, params);
  if (isLayer(made)) return made;
  if (typeof made === "function") return layer(made as Layer);
  throw new InputError(
    `model: expected the function to return a layer, got ${kindOf(made)}; ${HINT}`,
  );
}

function call(model: (params: unknown) => unknown, params: Readonly<Record<string, unknown>>): unknown {
  try {
    return model(params);
  } catch (error) {
    const given = `called with parameters ${shown(params, 200)}`;
    if (isInstance(error, InputError) && !/expected (a|two) tensors?/.test(error.message)) {
      throw new InputError(`model: ${error.message}`, { cause: error });
    }
    const message = reasonOf(error);
    throw new InputError(`model: ${message}; ${given}. If the function is the model itself, ${HINT}`, { cause: error });
  }
}
