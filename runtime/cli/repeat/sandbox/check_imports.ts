import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { InputError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { clipped } from "../../../core/shown.ts";
import { moduleGraph } from "../../../store/module_graph.ts";
import { partOfTacho } from "../../../store/tacho_files.ts";
import { addressesIn, isPinned, packageOf, type Pinned } from "../pinned.ts";
import type { Workspace } from "../workspace.ts";
import { checkPublic } from "./public_address.ts";

/**
 * Checks what the script of a workspace imports, since Deno loads static imports without a permission: JSON and text files
 * too, from anywhere on the disk.
 *
 * @param where origin of the script, for messages
 * @param pinned hashes of imports from the network
 * @returns the hosts of imports from the network, which are pinned by their hashes
 * @throws {InputError} if an import is neither a copy in the workspace, nor part of Tacho, nor pinned, or on a host that is
 *   not public
 */
export async function checkImports(workspace: Workspace, where: string, pinned: Pinned | null): Promise<string[]> {
  const { folder, config, script, tachoPackages } = workspace;
  const copies = pathToFileURL(join(folder, "modules")).href + "/";
  const graph = await moduleGraph([pathToFileURL(script).href], ["--config", config, "--no-remote", "--no-npm"]);
  for (const { url, imports } of graph) {
    if (partOfTacho(url) !== null) continue;
    for (const { url: target } of imports) {
      if (target.startsWith(copies) || partOfTacho(target) !== null || target.startsWith("node:")) continue;
      if (tachoPackages.includes(packageOf(target)) || (pinned !== null && isPinned(target, pinned))) continue;
      if (/^(npm|jsr|https?):/.test(target)) throw notPinned(where, target);
      const name = printable(clipped(target.startsWith("file:") ? fileURLToPath(target) : target, 200));
      throw new InputError(
        `${where}: imports ${name}, which the sandbox does not allow; expected its own modules, Tacho and packages`,
      );
    }
  }
  if (pinned === null) return [];
  for (const address of addressesIn(pinned)) if (!isPackage(address)) await checkPublic(address, where);
  const packages = Object.keys(pinned.jsr).length === 0 ? [] : ["jsr.io:443"];
  const modules = addressesIn({ ...pinned, npm: {} }).filter((address) => !isPackage(address));
  return [...new Set([...packages, ...modules.map(hostOf)])];
}

function isPackage(address: string): boolean {
  return /^(npm|jsr):/.test(address);
}

/** Returns the error for an import from the network that is not pinned by a hash. */
export function notPinned(where: string, target: string): InputError {
  const name = printable(clipped(target, 200));
  return new InputError(
    `${where}: imports ${name}, whose hash is not in it; write the lock file again, or use --trust`,
  );
}

/** Returns host and port, the form in which Deno permits imports, of a public address. */
function hostOf(url: string): string {
  return `${new URL(url).hostname}:443`;
}
