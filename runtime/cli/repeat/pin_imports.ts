import type { ModuleSource } from "../../store/module_source.ts";
import { checkPublic } from "./sandbox/public_address.ts";
import { fetchImports } from "./fetch_imports.ts";
import { packageOf, type Pinned, remoteTargets } from "./pinned.ts";
import { openWorkspace } from "./workspace.ts";

/**
 * Returns the hashes of what modules import from the network, besides Tacho's own packages; null if that is nothing.
 * Downloads what Deno has not in its cache.
 *
 * @param where origin of the modules, for messages
 * @param trusted false to download from public hosts alone
 * @throws {InputError} if something cannot be downloaded
 */
export async function pinImports(
  modules: readonly ModuleSource[],
  where: string,
  trusted: boolean,
): Promise<Pinned | null> {
  const targets = remoteTargets(modules);
  if (targets.length === 0) return null;
  const check = (address: string) => checkPublic(address, where);
  if (!trusted) { for (const target of targets) if (!/^(npm|jsr):/.test(target)) await check(target); }
  using workspace = await openWorkspace(modules, where);
  if (targets.every((target) => workspace.tachoPackages.includes(packageOf(target)))) return null;
  return await fetchImports(
    workspace,
    where,
    trusted ? null : { known: [], check: (host) => check(`https://${host}`) },
  );
}
