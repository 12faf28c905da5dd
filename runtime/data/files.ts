/**
 * Inspection of files and folders, and reads of parts of files.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";

/** Returns the message of an error, or a thrown value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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
    if (error instanceof Deno.errors.NotFound) throw new InputError(`The ${what} ${dir} does not exist; ${expected}`);
    if (error instanceof Deno.errors.NotADirectory) throw new InputError(`${dir} is not a folder; ${expected}`);
    throw new InputError(`Cannot list the ${what} ${dir}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Returns the size of a readable file in bytes.
 *
 * @param expected kind of file in messages: `an IDX file`
 * @throws {InputError} if it cannot be opened or is not a file
 */
export function readableSize(path: string, expected: string): number {
  try {
    const { isFile, size } = Deno.statSync(path); // before opening: opening a pipe would block
    if (isFile) {
      Deno.openSync(path).close();
      return size;
    }
  } catch (error) {
    throw new InputError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  throw new InputError(`${path} is not a file; expected ${expected}`);
}

/**
 * Reads up to `length` bytes from `offset`; fewer at the end of the file.
 *
 * @throws {InputError} if the file cannot be read
 */
export function readAt(path: string, offset: number, length: number): Uint8Array<ArrayBuffer> {
  try {
    using file = Deno.openSync(path);
    file.seekSync(offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.max(0, Math.min(length, file.statSync().size - offset)));
    let got = 0;
    while (got < bytes.length) {
      const n = file.readSync(bytes.subarray(got));
      if (n === null) break;
      got += n;
    }
    return bytes.subarray(0, got);
  } catch (error) {
    throw new InputError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Returns modification time and size of a file, which differ once it changes.
 *
 * @throws {InputError} if the file cannot be inspected
 */
export function stampOf(path: string): string {
  try {
    const { mtime, size } = Deno.statSync(path);
    return `${mtime?.getTime() ?? 0} ${size}`;
  } catch (error) {
    throw new InputError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}
