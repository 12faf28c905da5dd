import { dirname, join, relative } from "node:path";
import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { shellWord } from "../../core/shell_word.ts";
import type { Files } from "./template.ts";

/**
 * Creates the folder of a project.
 *
 * @returns its absolute path, without links
 * @throws {InputError} if it cannot be created
 */
export async function makeFolder(folder: string): Promise<string> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    return await Deno.realPath(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/**
 * Writes the files of a project. Overwrites nothing: if one of them exists, none is written.
 *
 * @throws {InputError} if a file exists, or cannot be written
 */
export async function writeProject(folder: string, files: Files): Promise<void> {
  const taken = Object.keys(files).filter((path) => exists(join(folder, path)));
  if (taken.length > 0) throw overwrites(folder, taken);
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    try {
      await Deno.mkdir(dirname(file), { recursive: true });
      writeFile(file, text, { write: true, createNew: true });
    } catch (cause) {
      if (cause instanceof Deno.errors.AlreadyExists) throw overwrites(folder, [path]);
      throw unwritable(file, cause);
    }
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw unwritable(path, error);
  }
}

function overwrites(folder: string, paths: readonly string[]): InputError {
  const names = paths.length === 1
    ? `${paths[0]} exists`
    : `${paths.slice(0, -1).join(", ")} and ${paths.at(-1)} exist`;
  return new InputError(
    `tacho init: ${names} in ${folder}, and nothing is overwritten; name a new folder: tacho init ` +
      shellWord(freeName(relative(Deno.cwd(), folder) || "my-project")),
  );
}

/** Returns a path that does not exist: the given one, or one with a number. */
function freeName(path: string): string {
  for (let number = 1;; number++) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!exists(name)) return name;
  }
}

function unwritable(path: string, cause: unknown): InputError {
  const isFile = cause instanceof Deno.errors.AlreadyExists || cause instanceof Deno.errors.NotADirectory;
  const reason = isFile ? "a part of the path is a file" : (cause as Error).message;
  return new InputError(`tacho init: ${path} cannot be written (${reason}); name a folder to create`, { cause });
}
