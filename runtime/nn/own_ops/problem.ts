import { InputError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { reasonOf } from "../../core/shown.ts";

/** Creates an error about an op that a script defines. */
export function opError(type: string, message: string, cause?: unknown): InputError {
  return new InputError(`op "${type}": ${message}`, cause === undefined ? {} : { cause });
}

/**
 * Runs a function of an op's definition.
 *
 * @param what name of the function in the message
 * @throws {InputError} naming the op and the function, if it throws
 */
export function attempt<T>(type: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    // An op that the function applies has already named itself
    if (isInstance(error, InputError) && error.message.includes('op "')) throw error;
    throw opError(type, `${what}: ${reasonOf(error)}`, error);
  }
}
