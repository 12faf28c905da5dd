import { InputError } from "../core/errors.ts";
import { isLayer, kindOf, type Layer, layer, type MarkedLayer } from "../nn/layer.ts";

const MEND = "wrap a layer of your own in layer((x) => ...)";

/**
 * The model that a scenario's `model` stands for. A marked layer is the model. Another function is called with the
 * parameters where the scenario declares some, or where it takes no argument; otherwise it is the model itself.
 *
 * @throws {InputError} if it is no function, or makes something else than a layer
 */
export function buildModel(model: unknown, params: Readonly<Record<string, unknown>>): MarkedLayer | null {
  if (model === null || model === undefined) return null;
  if (isLayer(model)) return model;
  if (typeof model !== "function") {
    throw new InputError(`model: expected a layer or a function that makes one, got ${kindOf(model)}`);
  }
  if (Object.keys(params).length === 0 && model.length > 0) return layer(model as Layer);
  const made = call(model as (params: unknown) => unknown, params);
  if (isLayer(made)) return made;
  if (typeof made === "function") return layer(made as Layer);
  throw new InputError(
    `model: expected the function to make a layer from the parameters, got ${kindOf(made)}; ${MEND}`,
  );
}

function call(model: (params: unknown) => unknown, params: Readonly<Record<string, unknown>>): unknown {
  try {
    return model(params);
  } catch (error) {
    const given = `it was called with the parameters ${JSON.stringify(params)}`;
    if (error instanceof InputError && !/expected (a|two) tensors?/.test(error.message)) {
      throw new InputError(`model: ${error.message}`, { cause: error });
    }
    const message = error instanceof Error ? error.message : String(error);
    throw new InputError(`model: ${message}; ${given}. If it is the model itself, ${MEND}`, { cause: error });
  }
}
