import { dirname } from "node:path";
import { InputError } from "../core/errors.ts";
import { writeOut } from "./terminal.ts";

/** Stands for stdout as the argument of `--json`. */
export const STDOUT = "-";

/** Checks before a long run that `--json` can be written after it. */
export async function checkTarget(target: string): Promise<void> {
  if (target === STDOUT) return;
  if (target === "") throw new InputError("--json: expected a file name, or - for stdout");
  if ((await stat(target))?.isDirectory) throw new InputError(`--json ${target}: is a folder; expected a file name`);
  const folder = dirname(target);
  if (!(await stat(folder))?.isDirectory) throw new InputError(`--json ${target}: there is no folder ${folder}`);
}

/** Writes `value` to a file or to stdout. */
export async function writeJson(target: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (target === STDOUT) return writeOut(text);
  try {
    await Deno.writeTextFile(target, text);
  } catch (cause) {
    throw new InputError(`--json ${target}: cannot be written (${(cause as Error).message})`, { cause });
  }
}

async function stat(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw new InputError(`--json ${path}: cannot be read (${(error as Error).message})`, { cause: error });
  }
}
