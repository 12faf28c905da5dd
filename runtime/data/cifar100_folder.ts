/**
 * What a folder in CIFAR-100's binary format holds, by its files' names and sizes.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { listFolder } from "./files.ts";
import { inspectRecords, missingFile, pathOf, type RecordFolder, wrongCount } from "./record_folder.ts";

/** Bytes of one record: the coarse label, the fine label, then 32 x 32 pixels of red, green and blue. */
const RECORD_BYTES = 2 + 3 * 32 * 32;

/** Records of the official files. */
const OFFICIAL = { train: 50000, test: 10000 } as const;

const EXPECTED = "train.bin and test.bin";

/**
 * Looks at the files' sizes. If one file has the official number of records, the other must too; else each may hold any
 * whole number of records.
 *
 * @throws {InputError} if the folder or a file is missing, cannot be read or has a wrong size
 */
export function inspectCifar100(dir: string): RecordFolder {
  const entries = listFolder(
    dir,
    "CIFAR-100 folder",
    "give the folder of CIFAR-100's binary version with train.bin and test.bin",
  );
  if (entries.some(({ name }) => name === "data_batch_1.bin")) {
    throw new InputError(`${dir} holds CIFAR-10 (data_batch_1.bin); use cifar10({ dir }), or give ${EXPECTED}`);
  }
  const inspect = (split: "train" | "test") => {
    const path = pathOf(dir, `${split}.bin`, entries);
    return path === null ? null : inspectRecords(path, RECORD_BYTES, OFFICIAL[split] * RECORD_BYTES);
  };
  const [train, test] = [inspect("train"), inspect("test")];
  if (train === null) throw missingFile("CIFAR-100", dir, "train.bin", entries, EXPECTED);
  const trainOfficial = train.records === OFFICIAL.train;
  const testOfficial = test?.records === OFFICIAL.test;
  if (trainOfficial && test === null) throw missingFile("CIFAR-100", dir, "test.bin", entries, EXPECTED);
  if (trainOfficial && !testOfficial) throw wrongCount(test!, OFFICIAL.test, train);
  if (testOfficial && !trainOfficial) throw wrongCount(train, OFFICIAL.train, test);
  return { train: [train], test: test === null ? null : [test] };
}
