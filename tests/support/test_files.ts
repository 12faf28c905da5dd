import { join } from "node:path";

const root = join(import.meta.dirname!, "..", "..");

/** Returns the paths of the test files in a folder and its subfolders, relative to the repository, sorted. */
export function testFiles(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) return testFiles(path);
    return entry.name.endsWith("_test.ts") ? [path] : [];
  }).sort();
}
