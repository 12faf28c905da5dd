import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../core/errors.ts";
import { sha256 } from "../core/sha256.ts";
import { shellWord } from "../core/shell_word.ts";
import { handoff } from "./handoff.ts";

/** The running script, as recorded in results. */
export interface Script {
  /** Path relative to the working directory; null if the script is not a file. */
  file: string | null;
  /** SHA-256 of its contents; null if the script is not a file. */
  sha256: string | null;
}

/** Returns the path of the script as the user would type it, or null if it is not a file. A stored script keeps its name. */
export function scriptFile(): string | null {
  const handed = handoff();
  if (handed !== null) return handed.file;
  const url = new URL(Deno.mainModule);
  if (url.protocol !== "file:") return null;
  const path = fileURLToPath(url);
  const local = relative(Deno.cwd(), path);
  return local.startsWith("..") ? path : local;
}

/** Returns the absolute path of the script, or null if it is not a file. A stored script keeps its name. */
export function scriptPath(): string | null {
  const file = scriptFile();
  return file === null ? null : resolve(file);
}

/** Describes the script of this process. */
export async function describeScript(): Promise<Script> {
  const file = scriptFile();
  if (file === null) return { file, sha256: null };
  return { file, sha256: sha256(await Deno.readFile(new URL(Deno.mainModule))) };
}

/** Returns the command line of this process, ready to paste into a shell; null if the script is not a file. */
export function commandLine(args: readonly string[]): string | null {
  const file = scriptFile();
  return file === null ? null : commandOf(file, args);
}

/** Returns the command line that runs a script. */
export function commandOf(file: string, args: readonly string[]): string {
  return ["deno run -A", ...[file, ...args].map(shellWord)].join(" ");
}

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
