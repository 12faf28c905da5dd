import { InputError } from "../runtime/core/errors.ts";
import { suggestion } from "../runtime/core/nearest.ts";
import { shown } from "../runtime/core/shown.ts";

/**
 * Checks the options of an op. `deno run` checks no types, and an option that an op does not read would change the model
 * without a word.
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
