import { join, resolve } from "node:path";
import { filesOf } from "../../data/sources/sources.ts";
import type { RunSpec } from "../../store/run_spec.ts";

/** Files of a folder that are looked at; the first is enough to tell that something was changed. */
const MOST_FILES = 10_000;

/**
 * What can be seen of changes to the data since a run, one line each: another folder, one that has gone, or files in it
 * that were written later. Their contents are not compared.
 *
 * @param cwd the folder that relative paths are taken from
 * @param since milliseconds since 1970
 * @param moved where the data is now, if that was said
 */
export function dataChanges({ variants }: RunSpec, cwd: string, since: number, moved: string | null = null): string[] {
  const lines = variants.flatMap(({ config: { data } }) =>
    filesOf(data).flatMap((path) => {
      const replaced = moved !== null && path === (data as { dir?: unknown }).dir;
      if (replaced && resolve(cwd, path) !== moved) return [`data: in ${path} then, in ${moved} now`];
      const found = lookAt(resolve(cwd, path), since);
      return found === null ? [] : [`data in ${path}: ${found}`];
    })
  );
  return [...new Set(lines)];
}

function lookAt(folder: string, since: number): string | null {
  const left = [folder];
  try {
    for (let seen = 0; left.length > 0 && seen < MOST_FILES; seen++) {
      const path = left.pop()!;
      const { isDirectory, mtime } = Deno.statSync(path);
      if (isDirectory) left.push(...[...Deno.readDirSync(path)].map(({ name }) => join(path, name)));
      else if (mtime !== null && mtime.getTime() > since) return "has files that were written since";
    }
    return null;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "is not there" : `cannot be read (${(error as Error).message})`;
  }
}
