import type { Imports } from "../support/imports.ts";

/** Code that opens an adapter or starts a process or a thread. */
const STARTS =
  /\bnavigator\.gpu\b|\bDeno\.Command\b|["']node:(?:child_process|worker_threads|cluster)["']|\bnew Worker\(/;

/**
 * Code that changes what all files of a process have: its environment, its folder, handlers of its signals, its globals, and
 * what runs before and after all tests.
 */
const CHANGES = new RegExp(
  [
    /\bDeno\.(?:env\.(?:set|delete)|chdir|umask|addSignalListener|exit)\b/,
    /\bsetFlagsFromString\(/,
    /\b(?:before|after)(?:All|Each)\(/,
    /\b(?:globalThis|navigator|Deno|console|performance|Date|prototype)\.\w+ = /,
    /\bdefineProperty\((?:globalThis|navigator|Deno|console|performance|Date|GPU)/,
  ].map(({ source }) => source).join("|"),
);

/** Test files by how they may run. */
export interface Sharing {
  /** Share a process: no file that they load, also by `import()`, opens an adapter or starts a process or a thread. */
  readonly pure: string[];
  /** Share a process with a few others. */
  readonly other: string[];
  /** Share a process with those that have the same helpers, which change what the whole process has, and restore it. */
  readonly helped: string[][];
  /** Need a process of their own, since their own code changes what the whole process has. */
  readonly alone: string[];
}

/** @param read returns the source of a file */
export function sharingOf(files: readonly string[], imports: Imports, read: (file: string) => string): Sharing {
  const sources = new Map(
    [...imports.keys()].filter((file) => /\.[jt]s$/.test(file)).map((file) => [file, read(file)]),
  );
  const having = (code: RegExp, begin: string) => {
    return new Set(
      [...sources].filter(([file, source]) => file.startsWith(begin) && code.test(source)).map(([file]) => file),
    );
  };
  const starting = having(STARTS, "");
  const changing = having(CHANGES, "tests/");
  const sharing = { pure: [] as string[], other: [] as string[], alone: [] as string[] };
  const helped = new Map<string, string[]>();
  for (const file of files) {
    const loaded = loadedBy(file, imports);
    const helpers = loaded.filter((each) => changing.has(each)).sort().join();
    if (changing.has(file)) sharing.alone.push(file);
    else if (helpers !== "") helped.set(helpers, [...helped.get(helpers) ?? [], file]);
    else sharing[loaded.some((each) => starting.has(each)) ? "other" : "pure"].push(file);
  }
  return { ...sharing, helped: [...helped.values()] };
}

/** Returns a file and the files that it loads, also by `import()`. */
function loadedBy(file: string, imports: Imports): string[] {
  const loaded = new Set([file]);
  for (const each of loaded) {
    for (const { file, kind } of imports.get(each) ?? []) if (kind !== "type") loaded.add(file);
  }
  return [...loaded];
}
