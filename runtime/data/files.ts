/**
 * Looking at files and folders before anything is read from them.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The entries of a folder.
 *
 * @param what the folder, and what should be in it: `CIFAR-10 folder`, `the folder of ... with data_batch_1.bin`
 * @throws {InputError} if it is missing, no folder, or cannot be listed
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
 * The size in bytes of a file that can be opened.
 *
 * @throws {InputError} if it cannot, or is no file; `expected` says what it should be
 */
export function readableSize(path: string, expected: string): number {
  try {
    const { isFile, size } = Deno.statSync(path); // before it is opened: a pipe would be waited for
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
 * Up to `length` bytes from `offset` on; fewer at the end of the file.
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
 * Time of change and size of a file, to see whether it is still the same.
 *
 * @throws {InputError} if it cannot be looked at
 */
export function stampOf(path: string): string {
  try {
    const { mtime, size } = Deno.statSync(path);
    return `${mtime?.getTime() ?? 0} ${size}`;
  } catch (error) {
    throw new InputError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}
