/**
 * The lock file of Deno with which a script finds its packages, as runs record it.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { readFile } from "../core/files.ts";
import { sha256 } from "../core/sha256.ts";
import { takeVariable } from "../core/take_variable.ts";
import { isWorkspace, projectOf } from "./project_folder.ts";
import { tachoLock } from "./tacho_files.ts";

/**
 * Environment variable with the SHA-256 of the lock file of a process that is started with `--lock`, before Deno extends
 * that file.
 */
export const LOCK_VARIABLE = "TACHO_LOCK_HASH";

let given: string | null | undefined;

/**
 * Returns the SHA-256 of the lock file of this process: the one that its parent started it with, or else the one of its
 * script's project. Returns null without one.
 *
 * @param folder folder of the script
 */
export function ownLockHash(folder: string): string | null {
  given ??= takeVariable(LOCK_VARIABLE) ?? null;
  return given ?? projectLockHash(folder);
}

/**
 * Returns the SHA-256 of the lock file with which Deno runs a script without `--lock`: beside the nearest configuration, or
 * beside that of its workspace. Returns null without one.
 */
export function projectLockHash(folder: string): string | null {
  const project = projectOf(folder);
  for (let at = project; at !== null; at = projectOf(dirname(at))) {
    try {
      if (at === project || isWorkspace(at)) return sha256(readFile(join(at, "deno.lock")));
    } catch {
      // The project has none of its own
    }
    if (dirname(at) === at) break;
  }
  return null;
}

/** Returns the SHA-256 of Tacho's own lock file, with the versions of packages that it was tested with. */
export async function tachoLockHash(): Promise<string> {
  return sha256(await tachoLock());
}
