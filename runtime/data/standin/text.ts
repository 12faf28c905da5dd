/**
 * The text stand-in, which is drawn into the cache folder once.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { isFile, writeFile } from "../../core/files.ts";
import { inspectFile } from "../files.ts";
import type { PrepareOptions } from "../sources/source_def.ts";
import { fileText, memoryText, type TextInput } from "../text/text_input.ts";
import { textFolder } from "./cache.ts";
import { drawOnce } from "./draw_once.ts";
import { drawLine } from "./grammar.ts";

/** Characters of the text, one byte each. */
export const TEXT_LENGTH = 1_000_000;

/** Name of the file. */
const FILE = "text.txt";

/** Name in messages. */
const WHAT = "the text stand-in";

/**
 * Draws the text unless it is in the cache folder.
 *
 * @returns the path of its file
 * @throws {InputError} if the cache folder cannot be written
 * @throws {InterruptedError} if the signal is aborted
 */
export async function prepareTextStandIn({ onProgress, signal }: PrepareOptions = {}): Promise<string> {
  const drawn = { folder: textFolder(), what: WHAT, megabytes: 1, instead: "use a text of yours with text({ file })" };
  const folder = await drawOnce(drawn, signal, (folder) => {
    onProgress?.(0, `drawing ${WHAT}`);
    writeFile(join(folder, FILE), drawText(), { write: true, createNew: true });
    onProgress?.(1, `drawing ${WHAT}`);
    return Promise.resolve();
  });
  return join(folder, FILE);
}

/**
 * Returns the text in the cache folder, or draws it in memory where it has not been prepared.
 *
 * @throws {InputError} if the file has another size
 */
export function textStandIn(): TextInput {
  const path = join(textFolder(), FILE);
  if (!isFile(path)) return memoryText(WHAT, drawText());
  const { size } = inspectFile(path);
  if (size === TEXT_LENGTH) return fileText(path);
  throw new InputError(
    `The text stand-in is damaged: ${path} has ${size} bytes, expected ${TEXT_LENGTH}. Delete ${textFolder()} to draw ` +
      "it again",
  );
}

/** Draws the text: lines of the grammar, the last of them cut. */
export function drawText(length: number = TEXT_LENGTH): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  const encoder = new TextEncoder();
  for (let at = 0, line = 0; at < length; line++) {
    at += encoder.encodeInto(drawLine(line).text, bytes.subarray(at)).written;
  }
  return bytes;
}
