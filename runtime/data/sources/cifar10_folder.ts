/**
 * Inspection of a folder in CIFAR-10's binary format, by its files' names and sizes.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { listFolder } from "../files.ts";
import { inspectRecords, missingFile, pathOf, type RecordFolder, wrongCount } from "./record_folder.ts";

/** Bytes of one record: a label, then the red, green and blue planes of 32 x 32 pixels. */
const RECORD_BYTES = 1 + 3 * 32 * 32;

/** Number of records in each official file. */
export const OFFICIAL_RECORDS = 10000;

/** Number of official training files. */
export const OFFICIAL_TRAIN_FILES = 5;

const TEST_FILE = "test_batch.bin";

/** Returns the name of training file `number`, counted from 1. */
export function trainFileName(number: number): string {
  return `data_batch_${number}.bin`;
}

/**
 * Checks the files' sizes. If one file has the official 10000 records, so must all six; otherwise each may have any whole
 * number of records.
 *
 * @throws {InputError} if the folder or a file is missing, cannot be read or has a wrong size
 */
export function inspectCifar10(dir: string): RecordFolder {
  const entries = listFolder(
    dir,
    "CIFAR-10 folder",
    `expected the folder of CIFAR-10's binary version with ${trainFileName(1)}; leave dir out to use the stand-in`,
  );
  const missing = (name: string) =>
    missingFile("CIFAR-10", dir, name, entries, `${trainFileName(1)} ... ${trainFileName(5)} and ${TEST_FILE}`);
  const inspect = (path: string) => inspectRecords(path, RECORD_BYTES, OFFICIAL_RECORDS * RECORD_BYTES);
  const numbers = entries.flatMap(({ name }) => {
    const number = /^data_batch_([1-9][0-9]*)\.bin$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  }).sort((a, b) => a - b);
  if (numbers.length === 0) throw missing(trainFileName(1));
  const train = numbers.map((number, i) => {
    if (number !== i + 1) throw missing(trainFileName(i + 1));
    return inspect(join(dir, trainFileName(number)));
  });
  const testPath = pathOf(dir, TEST_FILE, entries);
  const test = testPath === null ? null : [inspect(testPath)];

  const official = [...train, ...test ?? []].find((file) => file.records === OFFICIAL_RECORDS);
  if (official !== undefined) {
    for (let i = train.length; i < OFFICIAL_TRAIN_FILES; i++) throw missing(trainFileName(i + 1));
    if (test === null) throw missing(TEST_FILE);
    const other = [...train, ...test].find((file) => file.records !== OFFICIAL_RECORDS);
    if (other !== undefined) throw wrongCount(other, OFFICIAL_RECORDS, official);
    if (train.length > OFFICIAL_TRAIN_FILES) {
      throw new InputError(
        `${join(dir, trainFileName(OFFICIAL_TRAIN_FILES + 1))} is one file too many: CIFAR-10 has ` +
          `${OFFICIAL_TRAIN_FILES} training files of ${OFFICIAL_RECORDS} records; move it elsewhere`,
      );
    }
  }
  return { train, test };
}
