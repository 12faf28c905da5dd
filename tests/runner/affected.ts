import { basename, dirname, join } from "node:path";
import type { Imports } from "../support/imports.ts";

/** Files with which everything may change. */
const EVERYTHING = /^(?:deno\.json|deno\.lock|tests\/deno\.lock|tests\/run\.ts|tests\/runner\/.*)$/;

/** Code of a test file that reads folders of the repository, and so may see any file. */
const READS_FOLDERS = /\b(?:readDir(?:Sync)?|loadImports|testFiles)\(/;

/** Code that starts a process or a thread. */
const STARTS = /\bDeno\.Command\b|\bnew Worker\(/;

/** Modules that a process started by a test may load. */
const ENTRY_POINTS = ["mod.ts", "attach.ts", "jupyter.ts", "scripts/tacho.ts"];

const CODE = /\.[jt]s$/;

/** Specifier of an import, which the graph of imports has. */
const IMPORTED = /\b(?:from|import|import\()\s*["'`][^"'`\n]*["'`]/g;

/** Name or path of a file, or of a folder, in quotes. */
const QUOTED = /["'`]((?:\.{1,2}\/)*)([\w./-]*\w)["'`]/g;

/**
 * Returns the test files that a change of files can affect; it may return too many. A file depends on
 *
 * - the files that it imports, also for types or by `import()`,
 * - files whose relative path it has in quotes, such as a worker's,
 * - outside of the product, also files whose path ends with a text in quotes: a script that a test starts, data that it reads;
 *   for data, a text that is the name of its folder is enough,
 * - the entry points of the project, if it belongs to the tests and starts a process,
 *
 * and on what those depend on. All tests depend on the project's configuration, and tests that read folders of the
 * repository on every file.
 *
 * @param read returns the source of a file
 */
export function affectedTests(
  tests: readonly string[],
  changed: readonly string[],
  imports: Imports,
  read: (file: string) => string,
): string[] {
  if (changed.length === 0) return [];
  if (changed.some((file) => EVERYTHING.test(file))) return [...tests];
  const code = [...imports.keys()].filter((file) => CODE.test(file));
  const named = Map.groupBy(new Set([...code, ...changed]), (file) => basename(file));
  const folders = Map.groupBy(changed.filter((file) => !CODE.test(file)), (file) => basename(dirname(file)));
  const sources = new Map(code.map((file) => [file, read(file)]));
  const known = new Set([...code, ...changed]);
  const dependencies = new Map([...sources].map(([file, source]) => {
    const quoted = [...source.replaceAll(IMPORTED, "").matchAll(QUOTED)].flatMap(([, up, path]) => {
      const exact = join(dirname(file), `${up}${path}`);
      if (up !== "" && known.has(exact)) return [exact];
      if (/^(?:runtime|ops)\//.test(file)) return [];
      return [
        ...(named.get(basename(path!)) ?? []).filter((each) => each === path || each.endsWith(`/${path}`)),
        ...folders.get(basename(path!)) ?? [],
      ];
    });
    const started = file.startsWith("tests/") && STARTS.test(source) ? ENTRY_POINTS : [];
    return [file, [...(imports.get(file) ?? []).map(({ file }) => file), ...quoted, ...started]];
  }));
  const affected = new Set(changed);
  for (let size = -1; size !== affected.size;) {
    size = affected.size;
    for (const [file, needed] of dependencies) if (needed.some((each) => affected.has(each))) affected.add(file);
  }
  return tests.filter((test) => affected.has(test) || READS_FOLDERS.test(sources.get(test) ?? ""));
}
