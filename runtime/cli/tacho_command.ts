import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../core/shell_word.ts";
import { ownLauncher } from "./bundle/bundle.ts";
import { TACHO_VERSION } from "../experiment/environment.ts";
import { entryUrl, packageOfCopy, TACHO_ROOT } from "../store/tacho_files.ts";

/**
 * Returns a command line that starts this copy of Tacho, whether `tacho` is installed or not: by the path of a clone or of
 * an unpacked package, or by the version of an installed package.
 *
 * @param root URL of the folder of this copy, with a slash at the end
 * @param folder working directory; null if it is unknown
 */
export function tachoCommand(root: string = TACHO_ROOT, folder: string | null = workingFolder()): string {
  return `deno run -A ${shellWord(entryOf(root, folder))}`;
}

/** Returns the words with which a job starts this copy of Tacho: the launcher of its bundle, or Deno with its module. */
export function tachoWords(): string[] {
  const launcher = ownLauncher();
  return launcher !== null ? [launcher] : [Deno.execPath(), "run", "-q", "-A", tachoModule(Deno.mainModule)];
}

/** Returns what Deno runs as the `tacho` command, given the module that runs now. */
function tachoModule(main: string): string {
  if (!main.startsWith("file:")) return main;
  return main.endsWith(".ts") ? fileURLToPath(main) : `npm:@tacho/tacho@${TACHO_VERSION}/cli`;
}

function entryOf(root: string, folder: string | null): string {
  const named = packageOfCopy(root);
  if (named !== null) return `${named}@${TACHO_VERSION}/cli`;
  const url = entryUrl("./cli", root);
  if (url.protocol !== "file:") return url.href;
  const path = fileURLToPath(url);
  const local = folder === null ? ".." : relative(folder, path);
  return local.startsWith("..") ? path : local;
}

function workingFolder(): string | null {
  try {
    return Deno.cwd();
  } catch {
    return null; // Deno may not read it
  }
}
