import { dirname, join } from "node:path";
import { isFile, readText } from "../core/files.ts";

/** Files with which Deno configures the scripts in and below their folder. */
const CONFIGURATIONS = ["deno.json", "deno.jsonc", "package.json"];

/** Returns the nearest folder with a configuration of Deno, at `folder` or above it; null without one. */
export function projectOf(folder: string): string | null {
  if (CONFIGURATIONS.some((name) => isFile(join(folder, name)))) return folder;
  const above = dirname(folder);
  return above === folder ? null : projectOf(above);
}

/** Returns true if a folder's configuration lists projects in folders below it, which share its lock file. */
export function isWorkspace(folder: string): boolean {
  return CONFIGURATIONS.some((name) => {
    try {
      return /"workspaces?"\s*:/.test(readText(join(folder, name)));
    } catch {
      return false;
    }
  });
}
