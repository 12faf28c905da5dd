import { InputError } from "../../core/errors.ts";
import { readText } from "../../core/files.ts";
import { printable } from "../../core/printable.ts";
import { clipped } from "../../core/shown.ts";
import { packageOf, type Pinned, pinnedIn, remoteTargets } from "./pinned.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { checkPublic } from "./sandbox/public_address.ts";

/** Hosts with their ports from which imports are downloaded. */
export interface ImportHosts {
  readonly known: readonly string[];
  /** Checks a further host with its port. */
  check(host: string): Promise<void>;
}

/**
 * Downloads what the modules of a workspace import from the network to Deno's cache, without running it.
 *
 * @param where origin of the modules, for messages
 * @param hosts hosts that are asked, before anything is asked of them; null for any
 * @returns the hashes of everything that they import
 * @throws {InputError} if something cannot be downloaded, or has another hash than the lock file of the workspace says
 */
export async function fetchImports(
  { folder, config, packages, script }: Workspace,
  where: string,
  hosts: ImportHosts | null,
): Promise<Pinned> {
  for (const allowed = new Set(hosts?.known);;) {
    const allow = hosts === null
      ? "--allow-import"
      : allowed.size === 0
      ? "--deny-import"
      : `--allow-import=${[...allowed].join(",")}`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["cache", "--quiet", allow, "--config", config, "--lock", packages, script],
      cwd: folder,
      env: { DENO_NO_UPDATE_CHECK: "1", DENO_NO_PACKAGE_JSON: "1", NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
    }).output();
    if (success) return pinnedIn(readText(packages));
    const text = new TextDecoder().decode(stderr).trim().replace(/^error: /, "").split(/\n\s*at /)[0]!;
    const [, asked] = /Requires import access to "([^"]+)"/.exec(text) ?? [];
    if (hosts !== null && asked !== undefined && !allowed.has(asked)) {
      await hosts.check(asked);
      allowed.add(asked);
      continue;
    }
    const reason = clipped(printable(text.replaceAll(/\s*\n\s*/g, " ")), 500);
    throw new InputError(`${where}: its imports cannot be downloaded: ${reason}`);
  }
}

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
