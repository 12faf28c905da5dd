import { InputError } from "../../core/errors.ts";
import type { TextInput } from "./text_input.ts";

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
