import { shellWord } from "../core/shell_word.ts";
import { scriptFile } from "./script.ts";

/** The command line of this process as one could type it again; null where no file is run. */
export function commandLine(args: readonly string[]): string | null {
  const file = scriptFile();
  return file === null ? null : commandOf(file, args);
}

/** The command line that runs a script. */
export function commandOf(file: string, args: readonly string[]): string {
  return ["deno run -A", ...[file, ...args].map(shellWord)].join(" ");
}
