import { InputError } from "../core/errors.ts";

/**
 * Makes sure that a script can be started.
 *
 * @param command who wants it, for the message: `tacho run`
 * @throws {InputError} if there is no such file
 */
export async function checkScript(script: string, command: string): Promise<void> {
  try {
    if ((await Deno.stat(script)).isFile) return;
  } catch (cause) {
    throw new InputError(`${command}: ${script} cannot be read (${(cause as Error).message})`, { cause });
  }
  throw new InputError(`${command}: ${script} is a folder; expected a script`);
}
