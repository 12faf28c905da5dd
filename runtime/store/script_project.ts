import { dirname, join } from "node:path";
import { writeFile } from "../core/files.ts";
import { projectLockHash, tachoLockHash } from "./packages_lock.ts";
import { projectOf } from "./project_folder.ts";
import { entryPoints, TACHO_ROOT, tachoConfig, tachoLock } from "./tacho_files.ts";

/** Configuration of Deno for a script; a temporary one is removed on disposal. */
export interface ScriptProject extends AsyncDisposable {
  /** Flags of Deno that name it; none if Deno finds it without flags. */
  readonly configFlags: readonly string[];
  /** Flags of Deno that name its lock file. */
  readonly lockFlags: readonly string[];
  /** SHA-256 of the lock file before Deno extends it; null without one. */
  readonly lockHash: string | null;
}

/**
 * Returns the configuration with which a script finds Tacho: its own, or for a script outside a project a temporary one
 * with this copy of Tacho and its packages. The lock file beside that is temporary too, so that hashes of what the script
 * imports from the network are not kept for other scripts.
 *
 * @param script absolute path
 */
export async function openProject(script: string): Promise<ScriptProject> {
  if (!TACHO_ROOT.startsWith("file:") || projectOf(dirname(script)) !== null) {
    const lockHash = projectLockHash(dirname(script));
    return { configFlags: [], lockFlags: [], lockHash, async [Symbol.asyncDispose]() {} };
  }
  const folder = await Deno.makeTempDir({ prefix: "tacho-" });
  const config = join(folder, "deno.json");
  const lock = join(folder, "deno.lock");
  const { imports, ...rest } = tachoConfig();
  writeFile(config, JSON.stringify({ ...rest, imports: { ...imports, ...entryPoints() } }));
  writeFile(lock, await tachoLock());
  return {
    configFlags: ["--config", config],
    lockFlags: ["--lock", lock],
    lockHash: await tachoLockHash(),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
