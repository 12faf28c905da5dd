import { InputError } from "../core/errors.ts";
import { isSandboxed } from "./sandbox/is_sandboxed.ts";

/** Form of Deno's message; the flag is missing where only all permissions would do. */
const DENIED = /^Requires (.+? access(?: to .+?)?)(?:, run again with the (--allow-\w+) flag)?$/s;

/**
 * Returns a missing permission as an error for the user, which names the flag to add; null for any other error. Deno throws
 * a `TypeError` if an import is not permitted.
 */
export function missingPermission(error: unknown): InputError | null {
  if (!(error instanceof Deno.errors.NotCapable) && !(error instanceof TypeError)) return null;
  const [, what, flag = "-A"] = error.message.match(DENIED) ?? [];
  if (what === undefined) return null;
  const fix = isSandboxed()
    ? 'which the sandbox refuses; "--read PATH" lets it read more, and "--trust" lifts it'
    : `add ${flagFor(what, flag)} before the script`;
  return new InputError(`Missing permission: ${what}; ${fix}`, { cause: error });
}

/** Returns the narrowest flag that grants what a message names. */
function flagFor(what: string, flag: string): string {
  const value = what.match(/ to "(.+)"$/)?.[1];
  return value === undefined || /[\s,"']/.test(value) ? flag : `${flag}=${value}`;
}
