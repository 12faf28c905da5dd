import type { ModuleSource } from "../../store/module_source.ts";
import { fetchImports } from "./fetch_imports.ts";
import { packageOf, type Pinned, remoteTargets } from "./pinned.ts";
import { openWorkspace } from "./workspace.ts";

/**
 * Returns the hashes of what modules import from the network, besides Tacho's own packages; null if that is nothing.
 * Downloads what Deno has not in its cache.
 *
 * @param where origin of the modules, for messages
 * @throws {InputError} if something cannot be downloaded
 */
export async function pinImports(modules: readonly ModuleSource[], where: string): Promise<Pinned | null> {
  const targets = remoteTargets(modules);
  if (targets.length === 0) return null;
  using workspace = await openWorkspace(modules, where);
  if (targets.every((target) => workspace.tachoPackages.includes(packageOf(target)))) return null;
  return await fetchImports(workspace, where);
}
