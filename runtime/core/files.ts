/**
 * Opens the files that users, and files of users, name. Only regular files are read: the open of a pipe waits for another
 * process, without an end and deaf to signals, and a device such as `/dev/zero` never ends. Links are followed first.
 *
 * @module
 */
import { InputError } from "./errors.ts";
import { reasonOf } from "./shown.ts";

/** Largest files that are read as a whole, in bytes. */
export const LARGEST = {
  /** Scripts, settings, lock files, results: what is read as text. */
  text: 2 ** 28,
  /** An image before it is decoded. */
  image: 2 ** 28,
  /** A shard file. */
  shard: 2 ** 30,
  /** An ONNX model without its external weights, by the limit of its format. */
  model: 2 ** 31,
} as const;

/** Paths of what this process has open already, which may be a pipe. */
const OWN_STREAMS = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/**
 * Inspects a file without opening it; follows links. The error of the runtime is thrown if it cannot be inspected.
 *
 * @param hint end of the message if it is a folder, a pipe, a socket or a device
 * @throws {InputError} if it is not a regular file
 */
export function inspectFile(path: string | URL, hint = ""): Deno.FileInfo {
  const info = Deno.statSync(path);
  if (!info.isFile) throw new InputError(`${path} is not a file${hint}`);
  return info;
}

/** Returns true if a path leads to a regular file, also through links. */
export function isFile(path: string | URL): boolean {
  return infoOf(path)?.isFile ?? false;
}

/** Returns true if a path leads to a folder, also through links. */
export function isFolder(path: string | URL): boolean {
  return infoOf(path)?.isDirectory ?? false;
}

/** Opens a file for reading; see {@linkcode inspectFile} for errors. */
export function openFile(path: string | URL): Deno.FsFile {
  inspectFile(path);
  return Deno.openSync(path);
}

/**
 * Reads a whole file, as long as it is when it is opened; see {@linkcode inspectFile} for errors.
 *
 * @throws {InputError} if it is larger than `largest` bytes
 */
export function readFile(path: string | URL, largest: number = LARGEST.text): Uint8Array<ArrayBuffer> {
  using file = openFile(path);
  const { size } = file.statSync();
  if (size > largest) throw new InputError(`${path} is too large: it has ${size} bytes; expected at most ${largest}`);
  const bytes = new Uint8Array(size);
  const count = fill(file, bytes);
  return count < size ? bytes.slice(0, count) : bytes;
}

/** Reads a whole file as UTF-8; see {@linkcode readFile} for errors. */
export function readText(path: string | URL, largest?: number): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFile(path, largest));
}

/**
 * Like {@linkcode readText}; null if there is no such file.
 *
 * @throws {InputError} if it cannot be read
 */
export function readTextIfAny(path: string | URL, largest?: number): string | null {
  try {
    return readText(path, largest);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    if (error instanceof InputError) throw error;
    throw new InputError(`${path} cannot be read (${reasonOf(error)})`, { cause: error });
  }
}

/** Reads a file of the kernel in `/proc` or `/sys`, at a path that nobody else names. Such a file tells no size. */
export function readKernelFile(path: string): string {
  return Deno.readTextFileSync(path);
}

/** Reads from the file's position until `bytes` is full or the file ends, and returns the number of bytes. */
export function fill(file: Deno.FsFile, bytes: Uint8Array): number {
  let got = 0;
  while (got < bytes.length) {
    const count = file.readSync(got === 0 ? bytes : bytes.subarray(got));
    if (count === null) break;
    got += count;
  }
  return got;
}

/**
 * Opens a file for writing. Devices are allowed, such as `/dev/null`, and what this process has open, such as `/dev/stdout`.
 * Other pipes are not: their open waits for a reader. The error of the runtime is thrown if it cannot be opened.
 *
 * @param options by default, replaces the content
 * @throws {InputError} if it is a folder, a pipe or a socket
 */
export function openToWrite(
  path: string | URL,
  options: Deno.OpenOptions = { write: true, create: true, truncate: true },
): Deno.FsFile {
  if (!options.createNew) checkWritable(path);
  return Deno.openSync(path, options);
}

/** @throws {InputError} if a path leads to what {@linkcode openToWrite} refuses */
export function checkWritable(path: string | URL): void {
  const info = infoOf(path);
  if (info === null || info.isFile || info.isCharDevice || (!info.isDirectory && OWN_STREAMS.test(`${path}`))) return;
  throw new InputError(`${path} is ${info.isDirectory ? "a folder" : "a pipe, a socket or a disk"}; expected a file`);
}

/** Writes a file, in one piece or several; see {@linkcode openToWrite} for options and errors. */
export function writeFile(
  path: string | URL,
  content: string | Uint8Array | Iterable<string>,
  options?: Deno.OpenOptions,
): void {
  using file = openToWrite(path, options);
  const pieces = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  const encoder = new TextEncoder();
  for (const piece of pieces) writeAll(file, typeof piece === "string" ? encoder.encode(piece) : piece);
}

/** Writes all bytes at the file's position. */
export function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

/** Inspects a path; null if there is nothing, or that is unknown. */
function infoOf(path: string | URL): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch {
    return null;
  }
}
