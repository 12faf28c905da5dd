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
  if (typeof options !== "object" || options === null || Array.isArray(options) || isInstance(options, Tensor)) {
    throw new InputError(`${op} expects a record of options such as { ${known[0]}: ... }, got ${argument(options)}`);
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new InputError(`${op} has no option "${unknown}"${suggestion(unknown, known)}`);
}

/** @throws {InputError} unless all values are tensors */
export function checkTensors(op: string, values: readonly unknown[]): void {
  for (const value of values) {
    if (!isInstance(value, Tensor)) throw new InputError(`${op} expects tensors, got ${argument(value)}`);
  }
}

/**
 * @param name name of the option or argument
 * @throws {InputError} unless `value` is a number, which may be infinite
 */
export function checkNumber(op: string, name: string, value: unknown): void {
  if (typeof value === "number" && !Number.isNaN(value)) return;
  throw new InputError(`${op} expects a number as ${name}, got ${argument(value)}`);
}

/**
 * @param name name of the option or argument
 * @throws {InputError} unless `value` is true or false
 */
export function checkFlag(op: string, name: string, value: unknown): void {
  if (typeof value === "boolean") return;
  throw new InputError(`${op} expects true or false as ${name}, got ${argument(value)}`);
}

/**
 * @param what description of a valid list
 * @throws {InputError} unless `value` is a list
 */
export function checkList(op: string, what: string, value: unknown): void {
  if (!Array.isArray(value)) throw new InputError(`${op} expects ${what}, got ${argument(value)}`);
}

/** Formats an argument for a message after `got`. */
export function argument(value: unknown): string {
  if (value === undefined) return "nothing";
  if (isInstance(value, Tensor)) return "a tensor";
  return typeof value === "function" ? "a function; apply the layer first, as in relu()(x)" : shown(value);
}
