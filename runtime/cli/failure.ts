import { ExitStatus, TachoError } from "../core/errors.ts";
import { namedReasonOf, reasonOf } from "../core/shown.ts";
import { printableLines } from "../core/printable.ts";
import { isMissingPermission, withPermissionFix } from "../library/missing_permission.ts";
import { clearLine, lookOfStderr, writeError } from "./terminal.ts";

/** Returns the exit status for an error. */
export function exitStatusOf(error: unknown): number {
  if (isMissingPermission(error)) return ExitStatus.badInput;
  return error instanceof TachoError ? error.exitStatus : ExitStatus.unexpected;
}

/** Prints an error message to stderr; with `debug`, also the stack trace. */
export function printFailure(error: unknown, debug: boolean): void {
  const { color } = lookOfStderr(!Deno.args.includes("--no-color"));
  const label = color ? "\x1b[31merror:\x1b[39m" : "error:";
  const text = printableLines(debug ? Deno.inspect(error) : messageOf(error));
  clearLine();
  writeError(`${label} ${text}\n`);
}

/** Returns the message for the user. */
export function messageOf(error: unknown): string {
  if (error instanceof TachoError || isMissingPermission(error)) return withPermissionFix(reasonOf(error));
  const words = namedReasonOf(error);
  return `${words}\nUnexpected error: a bug in the script or in Tacho; --debug prints the stack trace`;
}
