import { readableSize, readAt, stampOf } from "../files.ts";

/** Bytes before a text that some editors write. They are no part of it. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** UTF-8 text to tokenize. */
export interface TextInput {
  /** Name in messages. */
  readonly place: string;
  /** File whose bytes are the text; null for a text in memory or behind a byte order mark. */
  readonly path: string | null;
  /** Size in bytes, without a byte order mark. */
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
  const size = readableSize(path, "a text file");
  const beginning = readAt(path, 0, BYTE_ORDER_MARK.length);
  const begin = BYTE_ORDER_MARK.every((byte, i) => beginning[i] === byte) ? BYTE_ORDER_MARK.length : 0;
  return {
    place: path,
    path: begin === 0 ? path : null,
    size: size - begin,
    stamp: `${path} ${stampOf(path)}`,
    read: (offset, length) => readAt(path, begin + offset, length),
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
