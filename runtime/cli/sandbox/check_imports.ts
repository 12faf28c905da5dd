import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { clipped } from "../../core/shown.ts";
import { moduleGraph } from "../../store/module_graph.ts";
import { partOfTacho } from "../../store/tacho_files.ts";
import type { Workspace } from "../repeat/workspace.ts";

/**
 * Checks what the script of a workspace imports, since Deno loads static imports without a permission: JSON and text files
 * too, from anywhere on the disk or the network.
 *
 * @param where origin of the script, for messages
 * @throws {InputError} if an import is neither a copy in the workspace, nor part of Tacho or of a package
 */
export async function checkImports({ folder, config, script }: Workspace, where: string): Promise<void> {
  const copies = pathToFileURL(join(folder, "modules")).href + "/";
  const graph = await moduleGraph([pathToFileURL(script).href], ["--config", config, "--no-remote", "--no-npm"]);
  for (const { url, imports } of graph) {
    const targets = partOfTacho(url) === null ? [url, ...imports.map((one) => one.url)] : [url];
    for (const target of targets) {
      if (target.startsWith(copies) || partOfTacho(target) !== null || /^(node|npm):/.test(target)) continue;
      const name = target.startsWith("file:") ? fileURLToPath(target) : target;
      throw new InputError(
        `${where}: imports ${
          printable(clipped(name, 200))
        }, which the sandbox does not allow; expected its own modules, ` +
          "Tacho and npm packages. --trust runs it with all permissions",
      );
    }
  }
}
