import type { Imports } from "../support/imports.ts";

/** Code that opens an adapter or starts a process or a thread. */
const STARTS =
  /\bnavigator\.gpu\b|\bDeno\.Command\b|["']node:(?:child_process|worker_threads|cluster)["']|\bnew Worker\(/;

/** Code that changes what a whole process has, such as its environment, its folder, and handlers of its signals. */
const CHANGES = /\bDeno\.(?:env\.(?:set|delete)|chdir|umask|addSignalListener|exit)\b|\bsetFlagsFromString\(/;

/**
 * Returns the test files that may run in one process with others: no file that they load, also by `import()`, opens an
 * adapter or starts a process or a thread, and no code of the tests changes what the whole process has.
 *
 * @param read returns the source of a file
 */
export function pureFiles(files: readonly string[], imports: Imports, read: (file: string) => string): string[] {
  const impure = new Set(
    [...imports.keys()].filter((file) => {
      if (!/\.[jt]s$/.test(file)) return false;
      const source = read(file);
      return STARTS.test(source) || file.startsWith("tests/") && CHANGES.test(source);
    }),
  );
  return files.filter((file) => !loadedBy(file, imports).some((loaded) => impure.has(loaded)));
}

/** Returns a file and the files that it loads, also by `import()`. */
function loadedBy(file: string, imports: Imports): string[] {
  const loaded = new Set([file]);
  for (const each of loaded) {
    for (const { file, kind } of imports.get(each) ?? []) if (kind !== "type") loaded.add(file);
  }
  return [...loaded];
}
