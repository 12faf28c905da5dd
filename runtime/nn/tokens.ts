import { InputError } from "../core/errors.ts";
import { type Layer, type LayerInfo, type MarkedLayer, markedLayer, namedShape } from "./layer.ts";

/**
 * Creates a model that reads tokens.
 *
 * @throws {InputError} on application, unless the input is `[n, t]`
 */
export function tokenModel(info: LayerInfo, model: Layer): MarkedLayer {
  return markedLayer(info, (x) => {
    if (x.shape.length === 2) return model(x);
    throw new InputError(`model: ${info.type} expects tokens [n, t], got ${namedShape(x.shape)}`);
  });
}
