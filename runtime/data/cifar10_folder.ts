/**
 * What a folder in CIFAR-10's binary format holds, by its files' names and sizes.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import type { RecordFile } from "./sources/plan.ts";

/** Bytes of one record: a label, then 32 x 32 pixels of red, green and blue. */
export const RECORD_BYTES = 1 + 3 * 32 * 32;

/** Records in each of the official files. */
export const OFFICIAL_RECORDS = 10000;

/** The official files for training. */
export const OFFICIAL_TRAIN_FILES = 5;

const TEST_FILE = "test_batch.bin";

/** The name of training file `number`, from 1. */
export function trainFileName(number: number): string {
  return `data_batch_${number}.bin`;
}

/** The record files of each split. */
export interface Cifar10Folder {
  readonly train: readonly RecordFile[];
  readonly test: readonly RecordFile[] | null;
}

/**
 * Looks at the files' sizes. If one file has the official 10000 records, all six must; else each may hold any whole
 * number of records.
 *
 * @throws {InputError} if the folder or a file is missing, cannot be read or has a wrong size
 */
export function inspectCifar10(dir: string): Cifar10Folder {
  const names = listFolder(dir);
  const numbers = names.flatMap((name) => {
    const number = /^data_batch_([1-9][0-9]*)\.bin$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  }).sort((a, b) => a - b);
  if (numbers.length === 0) throw missing(dir, trainFileName(1), names);
  const train = numbers.map((number, i) => {
    if (number !== i + 1) throw missing(dir, trainFileName(i + 1), names);
    return inspectFile(join(dir, trainFileName(number)));
  });
  const test = names.includes(TEST_FILE) ? [inspectFile(join(dir, TEST_FILE))] : null;

  const official = [...train, ...test ?? []].find((file) => file.records === OFFICIAL_RECORDS);
  if (official !== undefined) {
    for (let i = train.length; i < OFFICIAL_TRAIN_FILES; i++) throw missing(dir, trainFileName(i + 1), names);
    if (test === null) throw missing(dir, TEST_FILE, names);
    const other = [...train, ...test].find((file) => file.records !== OFFICIAL_RECORDS);
    if (other !== undefined) throw wrongCount(other, official);
    if (train.length > OFFICIAL_TRAIN_FILES) {
      throw new InputError(
        `${join(dir, trainFileName(OFFICIAL_TRAIN_FILES + 1))} is one file too many: CIFAR-10 has ` +
          `${OFFICIAL_TRAIN_FILES} training files of ${OFFICIAL_RECORDS} records; move it elsewhere`,
      );
    }
  }
  return { train, test };
}

function listFolder(dir: string): string[] {
  try {
    return [...Deno.readDirSync(dir)].map((entry) => entry.name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new InputError(
        `The CIFAR-10 folder ${dir} does not exist; give the folder of the binary version with ` +
          `${trainFileName(1)}, or leave dir out for the stand-in`,
      );
    }
    if (error instanceof Deno.errors.NotADirectory) {
      throw new InputError(
        `${dir} is not a folder; give the folder of CIFAR-10's binary version with ${trainFileName(1)}`,
      );
    }
    throw new InputError(`Cannot list the CIFAR-10 folder ${dir}: ${messageOf(error)}`, { cause: error });
  }
}

function inspectFile(path: string): RecordFile {
  const size = readableSize(path);
  const records = Math.floor(size / RECORD_BYTES);
  if (records === 0 || size % RECORD_BYTES !== 0) {
    const over = size - records * RECORD_BYTES;
    const found = records === 0
      ? `has ${size} bytes, less than one record`
      : `has ${size} bytes, which is ${records} records and ${over} bytes over`;
    throw new InputError(
      `${path} ${found}; expected a whole number of records of ${RECORD_BYTES} bytes ` +
        `(${
          OFFICIAL_RECORDS * RECORD_BYTES
        } bytes in the official set). The file is truncated or padded: fetch it again`,
    );
  }
  return { path, records };
}

/** The size in bytes of a file that can be opened. */
function readableSize(path: string): number {
  try {
    const file = Deno.openSync(path);
    try {
      const { isFile, size } = file.statSync();
      if (isFile) return size;
    } finally {
      file.close();
    }
  } catch (error) {
    throw new InputError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  throw new InputError(`${path} is not a file; expected records of ${RECORD_BYTES} bytes`);
}

function missing(dir: string, name: string, names: readonly string[]): InputError {
  const found = names.filter((entry) => entry.endsWith(".bin")).sort();
  const others = found.length === 0 ? "it has no .bin file" : `it has ${found.join(", ")}`;
  return new InputError(
    `The CIFAR-10 folder ${dir} lacks ${name} (${others}); expected ${trainFileName(1)} ... ` +
      `${trainFileName(OFFICIAL_TRAIN_FILES)} and ${TEST_FILE} of the binary version`,
  );
}

function wrongCount(file: RecordFile, official: RecordFile): InputError {
  return new InputError(
    `${file.path} has ${file.records} records; expected ${OFFICIAL_RECORDS}, as in ${official.path}. ` +
      "The file is truncated or padded: fetch it again",
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
