import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Returns the specifier with which a project imports this copy of Tacho: the path of a clone, or a version of a package.
 *
 * @param root URL of the folder of this copy, with a slash at the end
 * @param folder absolute path of the project
 * @param version version of this copy
 */
export function tachoImport(root: string, folder: string, version: string): string {
  const url = new URL("mod.ts", root);
  if (url.hostname === "jsr.io") return `jsr:@tacho/tacho@^${version}`;
  if (url.protocol !== "file:") return url.href;
  // A clone has no package.json
  if (isFile(join(fileURLToPath(root), "package.json"))) return `npm:@tacho/tacho@^${version}`;
  const path = relative(folder, fileURLToPath(url));
  if (isAbsolute(path)) return pathToFileURL(path).href; // another drive
  const parts = path.split(sep).map(encodeURIComponent);
  return parts[0] === ".." ? parts.join("/") : `./${parts.join("/")}`;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
