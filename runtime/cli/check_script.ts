import { InputError } from "../core/errors.ts";

/**
 * Checks that a script is a file.
 *
 * @param command command for the message, such as `tacho run`
 * @throws {InputError} if it is not a file, or cannot be read
 */
export async function checkScript(script: string, command: string): Promise<void> {
  try {
    if ((await Deno.stat(script)).isFile) return;
  } catch (cause) {
    throw new InputError(`${command}: ${script} cannot be read (${(cause as Error).message})`, { cause });
  }
  throw new InputError(`${command}: ${script} is a folder; expected a script`);
}
