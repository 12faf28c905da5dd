import { readableSize, readAt, stampOf } from "../files.ts";

/** UTF-8 text to tokenize. */
export interface TextInput {
  /** Name in messages. */
  readonly place: string;
  /** File of the text; null for a text that is not in a file. */
  readonly path: string | null;
  /** Size in bytes. */
  readonly size: number;
  /** Changes with the content. */
  readonly stamp: string;
  /** Reads up to `length` bytes from `offset`. */
  read(offset: number, length: number): Uint8Array;
}

/**
 * Returns the text of a file.
 *
 * @throws {InputError} if it cannot be opened or is not a regular file
 */
export function fileText(path: string): TextInput {
  return {
    place: path,
    path,
    size: readableSize(path, "a text file"),
    stamp: `${path} ${stampOf(path)}`,
    read: (offset, length) => readAt(path, offset, length),
  };
}

/** Returns a text in memory. */
export function memoryText(place: string, bytes: Uint8Array): TextInput {
  return {
    place,
    path: null,
    size: bytes.length,
    stamp: place,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}
