import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { entryUrl, packageOfCopy } from "../../store/tacho_files.ts";

/**
 * Returns the specifier with which a project imports this copy of Tacho: the path of a clone or of an unpacked package,
 * or the version of an installed package.
 *
 * @param root URL of the folder of this copy, with a slash at the end
 * @param folder absolute path of the project
 * @param version version of this copy
 */
export function tachoImport(root: string, folder: string, version: string): string {
  const named = packageOfCopy(root);
  if (named !== null) return `${named}@^${version}`;
  const url = entryUrl(".", root);
  if (url.protocol !== "file:") return url.href;
  const path = relative(folder, fileURLToPath(url));
  if (isAbsolute(path)) return pathToFileURL(path).href; // another drive
  const parts = path.split(sep).map(encodeURIComponent);
  return parts[0] === ".." ? parts.join("/") : `./${parts.join("/")}`;
}
