/**
 * Inspection of files and folders, and reads of parts of files.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import * as files from "../core/files.ts";
import { reasonOf } from "../core/shown.ts";

/**
 * Lists the entries of a folder.
 *
 * @param what name of the folder in messages: `CIFAR-10 folder`
 * @param expected end of messages: `give the folder of ... with data_batch_1.bin`
 * @throws {InputError} if it is missing, is not a folder or cannot be listed
 */
export function listFolder(dir: string, what: string, expected: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(dir)];
  } catch (error) {
    if (isMisnamed(dir, error)) throw misnamed(dir);
    if (error instanceof Deno.errors.NotFound) throw new InputError(`The ${what} ${dir} does not exist; ${expected}`);
    if (error instanceof Deno.errors.NotADirectory) throw new InputError(`${dir} is not a folder; ${expected}`);
    throw new InputError(`Cannot list the ${what} ${dir}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Returns the size of a readable file in bytes.
 *
 * @param expected kind of file in messages: `an IDX file`
 * @throws {InputError} if it cannot be opened or is not a file
 */
export function readableSize(path: string, expected: string): number {
  const { size } = inspectFile(path, `; expected ${expected}`);
  openFile(path).close();
  return size;
}

/**
 * Opens a file for reading.
 *
 * @throws {InputError} if it is missing, is not a file or cannot be opened
 */
export function openFile(path: string): Deno.FsFile {
  return reading(path, () => files.openFile(path));
}

/**
 * Reads a whole file.
 *
 * @param largest maximum size in bytes
 * @throws {InputError} if it is missing, is not a file, is too large or cannot be read
 */
export function readFile(path: string, largest: number): Uint8Array<ArrayBuffer> {
  return reading(path, () => files.readFile(path, largest));
}

/**
 * Reads up to `length` bytes from `offset`; fewer at the end of the file.
 *
 * @throws {InputError} if the file cannot be read
 */
export function readAt(path: string, offset: number, length: number): Uint8Array<ArrayBuffer> {
  return reading(path, () => {
    using file = files.openFile(path);
    const bytes = new Uint8Array(Math.max(0, Math.min(length, file.statSync().size - offset)));
    return bytes.subarray(0, fillFrom(file, offset, bytes));
  });
}

/** Fills `bytes` from `offset` of an open file, and returns how many there were. */
export function fillFrom(file: Deno.FsFile, offset: number, bytes: Uint8Array): number {
  file.seekSync(offset, Deno.SeekMode.Start);
  return files.fill(file, bytes);
}

/**
 * Returns modification time and size of a file, which differ once it changes.
 *
 * @throws {InputError} if the file cannot be inspected
 */
export function stampOf(path: string): string {
  const { mtime, size } = inspectFile(path);
  return `${mtime?.getTime() ?? 0} ${size}`;
}

/**
 * Inspects a file without opening it; follows links.
 *
 * @param hint end of the message if it is a folder, a pipe, a socket or a device
 * @throws {InputError} if it is missing or is not a regular file
 */
export function inspectFile(path: string, hint = ""): Deno.FileInfo {
  return reading(path, () => files.inspectFile(path, hint));
}

function reading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(path, error);
  }
}

/** Returns the error for a file or a folder that cannot be read. */
export function unreadable(path: string, error: unknown): InputError {
  if (isMisnamed(path, error)) return misnamed(path);
  return new InputError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error });
}

/** Returns true if a file was not found as its name is not UTF-8: Deno lists such a name with U+FFFD for its bytes. */
function isMisnamed(path: string, error: unknown): boolean {
  return error instanceof Deno.errors.NotFound && path.includes("\uFFFD");
}

function misnamed(path: string): InputError {
  return new InputError(`Cannot read ${path}: its name is not UTF-8, which Deno cannot open; rename it`);
}
