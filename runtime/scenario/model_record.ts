import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { clipped } from "../core/shown.ts";
import { isPlain, type Plain } from "./merge.ts";

const KEYS = ["layer", "weights"];

/**
 * Splits `model: { layer, weights }` into the settings `model` and `weights`. A record without a layer keeps the model of
 * the scenario.
 *
 * @throws {InputError} if the record has another key
 */
export function splitModel(settings: Plain): Plain {
  const { model, ...others } = settings;
  if (!isPlain(model)) return settings;
  const unknown = Object.keys(model).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new InputError(
      `model: has no "${clipped(unknown)}"${suggestion(unknown, KEYS)}; expected a layer, or { layer, weights }`,
    );
  }
  const { layer, weights } = model;
  return {
    ...others,
    ...(layer === undefined ? {} : { model: layer }),
    ...(weights === undefined ? {} : { weights }),
  };
}
