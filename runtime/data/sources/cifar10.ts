import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { standInFolder } from "../standin/cache.ts";
import { prepareStandIn } from "../standin/prepare.ts";
import { inspectCifar10, OFFICIAL_RECORDS, OFFICIAL_TRAIN_FILES } from "./cifar10_folder.ts";
import { countRecords, type RecordFolder } from "./record_folder.ts";
import { defineSource, images, labelled, location, recordOf, schemaOf } from "./source_def.ts";
import type { Cifar10Options, Cifar10Spec } from "./types.ts";

const cifar10Schema = schemaOf("cifar10", images, {
  dir: location("a folder, or null for the stand-in").nullable().default(null)
    .describe("folder with data_batch_1.bin ... and test_batch.bin; null: generated stand-in data"),
});

const IMAGE = { shape: [3, 32, 32], dtype: "u8" } as const;

const CLASSES = 10;

export const cifar10Source = defineSource({
  schema: cifar10Schema,
  describe({ dir }) {
    if (dir === null) return labelled(IMAGE, OFFICIAL_TRAIN_FILES * OFFICIAL_RECORDS, OFFICIAL_RECORDS, CLASSES);
    const { train, test } = inspectCifar10(dir);
    return labelled(IMAGE, countRecords(train), test && countRecords(test), CLASSES);
  },
  plan({ dir }, split) {
    const files = (dir === null ? inspectStandIn() : inspectCifar10(dir))[split];
    return files && { kind: "recordFiles", length: countRecords(files), files, labelBytes: 1, labelByte: 0 };
  },
  noTest: ({ dir }) => dir === null ? "" : `: ${join(dir, "test_batch.bin")} does not exist`,
  async prepare({ dir }, options) {
    if (dir === null) await prepareStandIn(options);
  },
  files: ({ dir }) => [dir],
});

/**
 * Loads CIFAR-10 in its binary format: 32 x 32 RGB images in 10 classes, from `data_batch_1.bin`, ... and
 * `test_batch.bin` in `dir`. Without `dir`, draws a stand-in of the same size and format into the cache folder.
 *
 * @example
 * ```ts
 * import { cifar10, transforms as t } from "@tacho/tacho";
 *
 * const data = cifar10({ dir: "data/cifar-10-batches-bin", transforms: [t.randomHorizontalFlip()] });
 * ```
 *
 * @throws {InputError} if an option is invalid; the folder is checked once the data set is used
 *
 * @example
 * ```ts
 * import { cifar10, transforms as t } from "@tacho/tacho";
 *
 * const data = cifar10({ transforms: [t.randomCrop(32, { padding: 4 }), t.normalize("cifar10")] });
 * ```
 */
export function cifar10(options: Cifar10Options = {}): Cifar10Spec {
  return recordOf(cifar10Schema, options);
}

function inspectStandIn(): RecordFolder {
  const folder = standInFolder();
  try {
    return inspectCifar10(folder);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      `The stand-in for CIFAR-10 is damaged: ${error.message}. Delete ${folder} to draw it again`,
    );
  }
}
