/**
 * Checks of the arguments of tensor ops. `deno run` checks no types, so that a script may pass anything.
 *
 * @module
 */
import { InputError } from "../runtime/core/errors.ts";
import { isInstance } from "../runtime/core/is_instance.ts";
import { suggestion } from "../runtime/core/nearest.ts";
import { shown } from "../runtime/core/shown.ts";
import { Tensor } from "../runtime/graph/op.ts";

/**
 * Checks the options of an op, since one that it does not read would change the model without a word.
 *
 * @throws {InputError} if `options` is no record, or has a key that is not known
 */
export function checkOptions(op: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError(`${op} expects a record of options such as { ${known[0]}: ... }, got ${shown(options)}`);
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new InputError(`${op} has no option "${unknown}"${suggestion(unknown, known)}`);
}

/** @throws {InputError} unless all values are tensors */
export function checkTensors(op: string, values: readonly unknown[]): void {
  for (const value of values) {
    if (isInstance(value, Tensor)) continue;
    const got = typeof value === "function" ? "a function; apply the layer first, as in relu()(x)" : shown(value);
    throw new InputError(`${op} expects tensors, got ${got}`);
  }
}

/**
 * @param what description of a valid list
 * @throws {InputError} unless `value` is a list
 */
export function checkList(op: string, what: string, value: unknown): void {
  if (!Array.isArray(value)) throw new InputError(`${op} expects ${what}, got ${shown(value)}`);
}
