import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { listFolder } from "../files.ts";
import { countRecords, inspectRecords, missingFile, pathOf, type RecordFolder, wrongCount } from "./record_folder.ts";
import { defineSource, images, labelled, location, recordOf, schemaOf } from "./source_def.ts";
import type { Cifar100Options, Cifar100Spec } from "./types.ts";

const cifar100Schema = schemaOf("cifar100", images, {
  dir: location("a folder").describe("folder with train.bin and test.bin of the binary version"),
  labels: z.enum(["fine", "coarse"], { error: 'expected "fine" or "coarse"' }).default("fine")
    .describe("100 fine or 20 coarse classes"),
});

export const cifar100Source = defineSource({
  schema: cifar100Schema,
  describe({ dir, labels }) {
    const { train, test } = inspectCifar100(dir);
    const classes = labels === "fine" ? 100 : 20;
    return labelled({ shape: [3, 32, 32], dtype: "u8" }, countRecords(train), test && countRecords(test), classes);
  },
  plan({ dir, labels }, split) {
    const files = inspectCifar100(dir)[split];
    const labelByte = labels === "fine" ? 1 : 0;
    return files && { kind: "recordFiles", length: countRecords(files), files, labelBytes: 2, labelByte };
  },
  noTest: ({ dir }) => `: ${join(dir, "test.bin")} does not exist`,
  files: ({ dir }) => [dir],
});

/**
 * Loads CIFAR-100 in its binary format: 32 x 32 RGB images in 100 fine or 20 coarse classes, from `train.bin` and
 * `test.bin` in `dir`.
 *
 * @throws {InputError} if an option is invalid; the folder is checked once the data set is used
 */
export function cifar100(options: Cifar100Options): Cifar100Spec {
  return recordOf(cifar100Schema, options);
}

/** Bytes of one record: the coarse label, the fine label, then the red, green and blue planes of 32 x 32 pixels. */
const RECORD_BYTES = 2 + 3 * 32 * 32;

/** Number of records in the official files. */
const OFFICIAL = { train: 50000, test: 10000 } as const;

const EXPECTED = "train.bin and test.bin";

/**
 * Checks the files' sizes. If one file has the official number of records, so must the other; otherwise each may have any
 * whole number of records.
 *
 * @throws {InputError} if the folder or a file is missing, cannot be read or has a wrong size
 */
function inspectCifar100(dir: string): RecordFolder {
  const entries = listFolder(
    dir,
    "CIFAR-100 folder",
    "expected the folder of CIFAR-100's binary version with train.bin and test.bin",
  );
  if (entries.some(({ name }) => name === "data_batch_1.bin")) {
    throw new InputError(
      `${dir} holds CIFAR-10 (data_batch_1.bin); use cifar10({ dir }), or a folder with ${EXPECTED}`,
    );
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
