import { TachoError } from "../core/errors.ts";
import { printableLines } from "../core/printable.ts";
import { isDumb } from "./terminal.ts";

/** Exit status of an error that nobody foresaw; sysexits.h calls it EX_SOFTWARE. */
const SOFTWARE = 70;

/** The exit status that stands for `error`. */
export function exitStatusOf(error: unknown): number {
  return error instanceof TachoError ? error.exitStatus : SOFTWARE;
}

/** Prints one readable message to stderr; with `debug`, where it came from too. */
export function printFailure(error: unknown, debug: boolean): void {
  const isTerminal = Deno.stderr.isTerminal() && !isDumb();
  const clear = isTerminal ? "\r\x1b[2K" : ""; // a line of progress may stand there
  const color = isTerminal && !Deno.noColor && !Deno.args.includes("--no-color");
  const label = color ? "\x1b[31merror:\x1b[39m" : "error:";
  const text = printableLines(debug ? Deno.inspect(error) : messageOf(error));
  Deno.stderr.writeSync(new TextEncoder().encode(`${clear}${label} ${text}\n`));
}

/** The message for the user. */
export function messageOf(error: unknown): string {
  if (error instanceof TachoError) return error.message;
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `${words}\nThis was not foreseen: a bug in the script or in Tacho; --debug shows where`;
}
