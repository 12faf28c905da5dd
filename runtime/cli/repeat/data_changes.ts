import { join, resolve } from "node:path";
import type { RunSpec } from "../../store/run_spec.ts";
import { inputFiles } from "../../experiment/input_hashes.ts";

/** Maximum number of files to check in a folder. */
const MAX_FILES = 10_000;

/**
 * Lists changes of the data since a run, one line each: another folder, a missing one, or files written later. Does not
 * compare contents.
 *
 * @param cwd base of relative paths
 * @param since time in ms since 1970
 * @param moved new folder of the data, if it has moved
 */
export function dataChanges({ variants }: RunSpec, cwd: string, since: number, moved: string | null = null): string[] {
  const lines = variants.flatMap(({ config }) =>
    inputFiles(config).flatMap((path) => {
      const replaced = moved !== null && path === config.data?.dir;
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
    for (let seen = 0; left.length > 0 && seen < MAX_FILES; seen++) {
      const path = left.pop()!;
      const { isDirectory, mtime } = Deno.statSync(path);
      if (isDirectory) left.push(...[...Deno.readDirSync(path)].map(({ name }) => join(path, name)));
      else if (mtime !== null && mtime.getTime() > since) return "has files written since then";
    }
    return null;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "not found" : `cannot be read (${(error as Error).message})`;
  }
}
