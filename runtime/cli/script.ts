import { InputError } from "../core/errors.ts";
import { inspectFile } from "../core/files.ts";
import { commandOf, scriptFile } from "../library/script.ts";

/** Returns the command line of this process, ready to paste into a shell; null if the script is not a file. */
export function commandLine(args: readonly string[]): string | null {
  const file = scriptFile();
  return file === null ? null : commandOf(file, args);
}

/**
 * Checks that a script is a file.
 *
 * @param command command for the message, such as `tacho run`
 * @throws {InputError} if it is not a file, or cannot be read
 */
export function checkScript(script: string, command: string): void {
  try {
    inspectFile(script, "; expected a script");
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`${command}: ${script} cannot be read (${(cause as Error).message})`, { cause });
  }
}
