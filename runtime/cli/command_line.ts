import { shellWord } from "../core/shell_word.ts";
import { scriptFile } from "./script.ts";

/** Returns the command line of this process, ready to paste into a shell; null if the script is not a file. */
export function commandLine(args: readonly string[]): string | null {
  const file = scriptFile();
  return file === null ? null : commandOf(file, args);
}

/** Returns the command line that runs a script. */
export function commandOf(file: string, args: readonly string[]): string {
  return ["deno run -A", ...[file, ...args].map(shellWord)].join(" ");
}
