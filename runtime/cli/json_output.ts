import { dirname } from "node:path";
import { InputError } from "../core/errors.ts";
import { checkWritable, openToWrite, writeFile } from "../core/files.ts";
import { printableJson } from "../core/printable.ts";
import type { Flags } from "./flags.ts";
import { writeOut } from "./terminal.ts";

/** Argument of `--json` that means stdout. */
export const STDOUT = "-";

/** Returns true if stdout holds data, so that nothing else may be printed there. */
export function stdoutIsData(
  { json, jsonLines, junit }: Pick<Flags, "json"> & Partial<Pick<Flags, "jsonLines" | "junit">>,
): boolean {
  return json === STDOUT || junit === STDOUT || jsonLines === true;
}

/**
 * Checks before a long run that its output file can be written.
 *
 * @throws {InputError} naming `flag`, if it cannot
 */
export async function checkTarget(target: string, flag = "--json"): Promise<void> {
  if (target === STDOUT) return;
  if (target === "") throw new InputError(`${flag}: expected a file name, or - for stdout, got ""`);
  const there = await stat(target, flag);
  if (there?.isDirectory) throw new InputError(`${flag} ${target}: is a folder; expected a file name`);
  const folder = dirname(target);
  if (!(await stat(folder, flag))?.isDirectory) throw new InputError(`${flag} ${target}: folder ${folder} not found`);
  await tryWriting(target, there, flag);
}

/** Opens the file for writing without changing it; removes it if it is new. Does not open a device. */
async function tryWriting(target: string, there: Deno.FileInfo | null, flag: string): Promise<void> {
  try {
    if (there === null || there.isFile) openToWrite(target, { write: true, createNew: there === null }).close();
    else checkWritable(target);
    if (there === null) await Deno.remove(target);
  } catch (cause) {
    throw unwritable(target, flag, cause);
  }
}

/** Writes `value` to a file or to stdout. */
export function writeJson(target: string, value: unknown): void {
  writeTarget(target, `${printableJson(value)}\n`, "--json");
}

/** Writes `text` to the file of `flag` or to stdout. */
export function writeTarget(target: string, text: string, flag: string): void {
  if (target === STDOUT) return writeOut(text);
  try {
    writeFile(target, text);
  } catch (cause) {
    throw unwritable(target, flag, cause);
  }
}

function unwritable(target: string, flag: string, cause: unknown): InputError {
  return new InputError(`${flag} ${target}: cannot be written (${(cause as Error).message})`, { cause });
}

async function stat(path: string, flag: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw new InputError(`${flag} ${path}: cannot be read (${(error as Error).message})`, { cause: error });
  }
}
