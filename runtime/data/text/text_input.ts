import { readableSize, readAt, stampOf } from "../files.ts";
import { InputError } from "../../core/errors.ts";

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

/** Bytes that are decoded at once. */
const CHUNK = 1 << 20;

const NEWLINE = 0x0a;

/**
 * Decodes a text piece by piece, in the memory of one piece. U+FEFF stays a character.
 *
 * @throws {InputError} if it is not UTF-8, with the line
 */
export function* decoded(text: TextInput): Generator<string> {
  const decoder = newDecoder();
  for (let offset = 0; offset < text.size; offset += CHUNK) {
    const bytes = text.read(offset, CHUNK);
    try {
      yield decoder.decode(bytes, { stream: offset + CHUNK < text.size });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw invalid(text);
    }
  }
}

function newDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/** Returns the error for a text that is not UTF-8, with the first line that is not. No character contains a newline byte. */
function invalid(text: TextInput): InputError {
  const bytes = text.read(0, text.size);
  let [line, begin] = [1, 0];
  for (; begin < bytes.length; line++) {
    const next = bytes.indexOf(NEWLINE, begin) + 1 || bytes.length;
    if (!isValid(bytes.subarray(begin, next))) break;
    begin = next;
  }
  return new InputError(
    `${text.place} is not UTF-8: line ${line}, from byte ${begin}, has invalid bytes; convert it to UTF-8, or use ` +
      'text({ tokenizer: "bytes" })',
  );
}

function isValid(bytes: Uint8Array): boolean {
  try {
    newDecoder().decode(bytes);
    return true;
  } catch {
    return false;
  }
}
