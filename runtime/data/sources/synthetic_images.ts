import { positiveInteger } from "../checked.ts";
import { defineSource, images, labelled, recordOf, schemaOf } from "./source_def.ts";
import type { SyntheticImagesOptions, SyntheticImagesSpec } from "./types.ts";

const syntheticImagesSchema = schemaOf("syntheticImages", images, {
  channels: positiveInteger.default(3).describe("channels of each image"),
  height: positiveInteger.describe("height in pixels"),
  width: positiveInteger.describe("width in pixels"),
  classes: positiveInteger.describe("number of classes"),
  length: positiveInteger.describe("number of images"),
});

export const syntheticImagesSource = defineSource({
  schema: syntheticImagesSchema,
  describe: ({ channels, height, width, length, classes }) =>
    labelled({ shape: [channels, height, width], dtype: "u8" }, length, null, classes),
  plan: ({ length }, split) => split === "train" ? { kind: "synthetic", length } : null,
});

/**
 * Generates random images with a weak trace of their class: a workload of any size without files.
 *
 * @throws {InputError} if an option is invalid
 */
export function syntheticImages(options: SyntheticImagesOptions): SyntheticImagesSpec {
  return recordOf(syntheticImagesSchema, options);
}
