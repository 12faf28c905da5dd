import { join } from "node:path";
import { full, FULL_TEST } from "./full.ts";

const root = join(import.meta.dirname!, "..", "..");

/**
 * Returns the paths of the test files in a folder and its subfolders, relative to the repository, sorted.
 *
 * @param all includes the files that only the full set of tests runs
 */
export function testFiles(folder: string, { all = full }: { readonly all?: boolean } = {}): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) return testFiles(path, { all });
    return entry.name.endsWith("_test.ts") && (all || !entry.name.endsWith(FULL_TEST)) ? [path] : [];
  }).sort();
}
