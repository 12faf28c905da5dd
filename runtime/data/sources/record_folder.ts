/**
 * Inspection of files of fixed-size records, by their names and sizes.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { readableSize } from "../files.ts";
import type { RecordFile } from "../readers/record_files.ts";

/** Record files of each split. */
export interface RecordFolder {
  readonly train: readonly RecordFile[];
  readonly test: readonly RecordFile[] | null;
}

/** Returns the number of records in all files. */
export function countRecords(files: readonly RecordFile[]): number {
  return files.reduce((sum, { records }) => sum + records, 0);
}

/**
 * Checks that a file has a whole number of records and counts them.
 *
 * @param official size of the official file in bytes
 * @throws {InputError} if it cannot be read or has another size
 */
export function inspectRecords(path: string, recordBytes: number, official: number): RecordFile {
  const size = readableSize(path, `records of ${recordBytes} bytes`);
  const records = Math.floor(size / recordBytes);
  if (records > 0 && size % recordBytes === 0) return { path, records };
  const found = records === 0
    ? `has ${size} bytes, less than one record`
    : `has ${size} bytes, which is ${records} records and ${size - records * recordBytes} extra bytes`;
  throw new InputError(
    `${path} ${found}; expected a whole number of records of ${recordBytes} bytes (${official} bytes in the official ` +
      "set). The file is truncated or padded: fetch it again",
  );
}

/** Error for a missing file. */
export function missingFile(
  set: string,
  dir: string,
  name: string,
  entries: readonly Deno.DirEntry[],
  expected: string,
): InputError {
  const found = entries.map((entry) => entry.name).filter((entry) => entry.endsWith(".bin")).sort();
  const others = found.length === 0 ? "it has no .bin file" : `it has ${found.join(", ")}`;
  return new InputError(
    `The ${set} folder ${dir} lacks ${name} (${others}); expected ${expected} of the binary version`,
  );
}

/** Error for a file with another number of records than in the official set; `official` is a file that identifies the set. */
export function wrongCount(file: RecordFile, expected: number, official: RecordFile): InputError {
  const why = official.records === expected ? `as in ${official.path}` : `since ${official.path} is the official one`;
  return new InputError(
    `${file.path} has ${file.records} records; expected ${expected}, ${why}. ` +
      "The file is truncated or padded: fetch it again",
  );
}

/** Returns the path of a file in a folder; null if it does not exist. */
export function pathOf(dir: string, name: string, entries: readonly Deno.DirEntry[]): string | null {
  return entries.some((entry) => entry.name === name) ? join(dir, name) : null;
}
