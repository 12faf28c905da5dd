import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readFile } from "../core/files.ts";
import { InputError } from "../core/errors.ts";
import { sha256 } from "../core/sha256.ts";
import { shellWord } from "../core/shell_word.ts";
import { handoff } from "./handoff.ts";
import type { RunSummary } from "../store/records.ts";

/** The main module of this process, as recorded in results. */
export interface Script {
  /** Path relative to the working directory; null if it is not a file. */
  readonly file: string | null;
  /** SHA-256 of its contents; null if it is not a file. */
  readonly sha256: string | null;
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

/** Describes the script of this process. The main module of a notebook or of `deno eval` is not a file. */
export function describeScript(): Script {
  const file = scriptFile();
  if (file === null) return { file, sha256: null };
  try {
    return { file, sha256: sha256(readFile(new URL(Deno.mainModule))) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof InputError) return { file: null, sha256: null };
    throw error;
  }
}

/** Returns the command line that runs a script. */
export function commandOf(file: string, args: readonly string[]): string {
  return ["deno run -A", ...[file, ...args].map(shellWord)].join(" ");
}

/** Returns the command line of a kept run, for its report; null if its script is not a file. */
export function runCommand({ script, args }: Pick<RunSummary, "script" | "args">): string | null {
  return script === null ? null : commandOf(script, args);
}
