/**
 * Shared parts of layer option schemas.
 *
 * @module
 */

import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { readable } from "../core/readable.ts";
import { shown } from "../core/shown.ts";
import { checked, nonNegativeInteger, positiveInteger } from "../data/checked.ts";
import {
  kindOf,
  type Layer,
  type LayerInfo,
  type MarkedLayer,
  markedLayer,
  namedShape,
  UncalledError,
} from "./layer.ts";

/**
 * Checks that a factory without options was called without arguments.
 *
 * @param type name of the layer, for messages
 * @throws {InputError} naming the layer and what it was given
 */
export function noOptions(type: string, given: ArrayLike<unknown>): void {
  const [first] = Array.from(given);
  // What applies a factory instead of its layer has a message of its own
  if (first === undefined || kindOf(first) === "a tensor") return;
  throw new InputError(`${type}: has no options, got ${shown(first)}; write ${type}()`);
}

/** Height and width, or one number for both. */
export type Size = number | readonly [height: number, width: number];

/** A pair of sizes of at least 1. */
export const positivePair = pair(positiveInteger, "expected a whole number of at least 1, or [height, width]");

/** A pair of sizes of at least 0. */
export const nonNegativePair = pair(nonNegativeInteger, "expected a whole number of at least 0, or [height, width]");

function pair(size: z.ZodType<number>, error: string) {
  return z.union([size, z.tuple([size, size])], { error })
    .transform((n): [number, number] => typeof n === "number" ? [n, n] : n);
}

/** A probability below 1. */
export const dropProbability = z.number({ error: "expected a number" })
  .min(0, { error: "expected at least 0" }).lt(1, { error: "expected less than 1" });

/**
 * Parses a layer's options by its schema.
 *
 * @param type name of the layer, for messages
 * @param positional positional arguments, by name
 * @throws {InputError} naming the layer, the option, the value, what was expected and the nearest known option
 */
export function layerOptions<S extends z.ZodType>(
  type: string,
  schema: S,
  options: unknown,
  positional: Readonly<Record<string, unknown>> = {},
): z.output<S> {
  if ([options, ...Object.values(positional)].some((value) => kindOf(value) === "a tensor")) {
    throw new UncalledError(type);
  }
  const given: unknown = readable(options, type);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const example = known.find((key) => !(key in positional)) ?? "kernel";
    throw new InputError(`${type}: expected a record of options such as { ${example}: ... }, got ${kindOf(options)}`);
  }
  return checked(schema, { ...given, ...positional }, type);
}

/** @throws {InputError} if the heads do not divide the width */
export function checkHeads(model: string, width: number, heads: number): void {
  if (width % heads !== 0) {
    throw new InputError(
      `${model}: expected heads that divide the width of ${width}, got ${heads}; change one of them`,
    );
  }
}

/** @throws {InputError} if the heads of keys do not divide the heads */
export function checkKeyHeads(model: string, heads: number, kvHeads: number): void {
  if (heads % kvHeads !== 0) {
    throw new InputError(
      `${model}: expected kvHeads that divide the ${heads} heads, got ${kvHeads}; change one of them`,
    );
  }
}

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
