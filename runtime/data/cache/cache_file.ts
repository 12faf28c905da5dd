/**
 * Files of caches. They live as long as the process, and the next one removes those of killed processes.
 *
 * @module
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { cacheFolder } from "../standin/cache.ts";

/** Files that this process has created and not removed yet. */
const files = new Set<string>();

/**
 * Creates an empty file for the samples of a cache, in `TACHO_CACHE`, and returns its path.
 *
 * @throws {InputError} if that is not possible
 */
export function createCacheFile(): string {
  const folder = join(cacheFolder(), "samples");
  try {
    Deno.mkdirSync(folder, { recursive: true });
    removeAbandoned(folder);
    const path = Deno.makeTempFileSync({ dir: folder, prefix: `${hostname()}.${process.pid}.` });
    if (files.size === 0) globalThis.addEventListener("unload", removeAll);
    files.add(path);
    return path;
  } catch (error) {
    throw new InputError(
      `data.cache: no file can be created in ${folder} (${reasonOf(error)}); set TACHO_CACHE to a folder that can be ` +
        'written to, or use a cache in "memory"',
      { cause: error },
    );
  }
}

/** Removes the file of a cache. Threads that have it open can still use it. */
export function removeCacheFile(path: string): void {
  if (files.delete(path)) remove(path);
  if (files.size === 0) globalThis.removeEventListener("unload", removeAll);
}

function removeAll(): void {
  for (const path of files) remove(path);
  files.clear();
}

/** Removes the files of processes of this machine that have ended without doing so. */
function removeAbandoned(folder: string): void {
  const prefix = `${hostname()}.`;
  for (const { name } of Deno.readDirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length).split(".", 1)[0]);
    if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) remove(join(folder, name));
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Removed by another process, or by the next one
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { readonly code?: unknown }).code !== "ESRCH";
  }
}
