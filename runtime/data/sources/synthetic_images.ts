import { z } from "zod";
import { checked, positiveInteger } from "../checked.ts";
import { common, type CommonOptions, defineSource, images, labelled } from "./source_def.ts";

const syntheticImagesSchema = z.strictObject({
  kind: z.literal("syntheticImages"),
  channels: positiveInteger.default(3).describe("channels of each image"),
  height: positiveInteger.describe("height in pixels"),
  width: positiveInteger.describe("width in pixels"),
  classes: positiveInteger.describe("number of classes"),
  length: positiveInteger.describe("number of images"),
  ...common,
  unit: images,
});

export type SyntheticImagesSpec = z.infer<typeof syntheticImagesSchema>;

export const syntheticImagesSource = defineSource({
  schema: syntheticImagesSchema,
  factory: "syntheticImages()",
  describe: ({ channels, height, width, length, classes }) =>
    labelled({ shape: [channels, height, width], dtype: "u8" }, length, null, classes),
  plan: ({ length }, split) => split === "train" ? { kind: "synthetic", length } : null,
});

/** What `syntheticImages` takes: sizes in pixels, `length` in images. */
export interface SyntheticImagesOptions extends CommonOptions {
  channels?: number;
  height: number;
  width: number;
  classes: number;
  length: number;
}

/**
 * Random images with a weak trace of their class, drawn where they are used: a load of any size without a file.
 *
 * @throws {InputError} if an option is invalid
 */
export function syntheticImages(options: SyntheticImagesOptions): SyntheticImagesSpec {
  return checked(syntheticImagesSchema, { kind: "syntheticImages", ...options }, "syntheticImages()");
}
