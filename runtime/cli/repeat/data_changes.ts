import { join, resolve } from "node:path";
import type { Plan } from "../../store/plan.ts";

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
export function dataChanges({ variants }: Plan, cwd: string, since: number, moved: string | null = null): string[] {
  const folders = new Set(variants.flatMap(({ config: { data } }) => {
    const dir = (data as { dir?: unknown } | null | undefined)?.dir;
    return typeof dir === "string" ? [dir] : [];
  }));
  return [...folders].flatMap((folder) => {
    if (moved !== null && resolve(cwd, folder) !== moved) return [`data: in ${folder} then, in ${moved} now`];
    const found = lookAt(resolve(cwd, folder), since);
    return found === null ? [] : [`data in ${folder}: ${found}`];
  });
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
