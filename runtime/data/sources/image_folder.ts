import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { positiveInteger } from "../checked.ts";
import { listFolder, unreadable } from "../files.ts";
import { toShared } from "../shared.ts";
import { PHOTOS, photosFolder } from "../standin/cache.ts";
import { CLASS_NAMES } from "../standin/patterns.ts";
import { preparePhotos } from "../standin/prepare.ts";
import { defineSource, images, labelled, location, recordOf, schemaOf } from "./source_def.ts";
import type { ImageFolderOptions, ImageFolderSpec } from "./types.ts";

const imageFolderSchema = schemaOf("imageFolder", images, {
  dir: location("a folder, or null for the stand-in").nullable().default(null)
    .describe("folder with one subfolder of PNG and JPEG files per class; null: generated stand-in JPEGs"),
  test: location("a folder, or null").nullable().default(null).describe("the same for the test split"),
  channels: z.union([z.literal(1), z.literal(3)], { error: "expected 1 (grey) or 3 (RGB)" }).default(3)
    .describe("3 converts files to RGB, 1 to grey"),
  size: z.tuple([positiveInteger, positiveInteger], { error: "expected [height, width] or null" }).nullable()
    .default(null).describe("[height, width] of all files; null if they differ"),
});

export const imageFolderSource = defineSource({
  schema: imageFolderSchema,
  describe({ dir, test, channels, size }) {
    const { length, classes } = dir === null ? STAND_IN : inspectImageFolder(dir);
    const testLength = test === null ? null : inspectImageFolder(test, classes).length;
    const [height, width] = size ?? (dir === null ? [PHOTOS.height, PHOTOS.width] : [null, null]);
    const input = { shape: [channels, height, width], dtype: "u8", order: "hwc" } as const;
    return labelled(input, length, testLength, classes.length);
  },
  plan(spec, split) {
    const trainDir = spec.dir ?? photosFolder();
    const train = inspectImageFolder(trainDir);
    const dir = split === "train" ? trainDir : spec.test;
    if (dir === null) return null;
    const { length, names, offsets, firsts } = split === "train" ? train : inspectImageFolder(dir, train.classes);
    return { kind: "imageFiles", length, dir, names, offsets, firsts };
  },
  noTest: () => "; give imageFolder({ test })",
  async prepare({ dir }, options) {
    if (dir === null) await preparePhotos(options);
  },
  files: ({ dir, test }) => [dir, test],
});

/** Names of the classes and number of samples of the stand-in. */
const STAND_IN = {
  classes: CLASS_NAMES.map((name) => name.replaceAll(" ", "_")).sort(),
  length: CLASS_NAMES.length * PHOTOS.perClass,
};

/**
 * Loads PNG and JPEG files from one subfolder per class; classes are numbered in the order of their names. Without `dir`,
 * draws 60 JPEG files of 640 x 480 pixels in 10 classes into the cache folder, once. Workers decode the files. The EXIF
 * orientation is ignored. On Linux, JPEG files decode about five times as fast with the system's libjpeg-turbo (Debian:
 * `apt-get install libturbojpeg0`) as without, to the same pixels.
 *
 * @throws {InputError} if an option is invalid; the folder is checked once the data set is used
 *
 * @example
 * ```ts
 * import { imageFolder, transforms as t } from "@tacho/tacho";
 *
 * const data = imageFolder({
 *   dir: "photos/train",
 *   test: "photos/test",
 *   transforms: [t.randomResizedCrop(224), t.randomHorizontalFlip(), t.normalize("imagenet")],
 * });
 * ```
 */
export function imageFolder(options: ImageFolderOptions = {}): ImageFolderSpec {
  return recordOf(imageFolderSchema, options);
}

/** Files of a split. */
interface ImageFolder {
  /** Names of the classes, sorted. */
  readonly classes: readonly string[];
  readonly length: number;
  /** Sorted file paths below the folder, grouped by class, each terminated by a zero byte, in shared memory. */
  readonly names: Uint8Array;
  /** Offset of each name. */
  readonly offsets: Uint32Array;
  /** Index of the first file of each class. */
  readonly firsts: Uint32Array;
}

const SUPPORTED = /\.(png|jpe?g)$/i;
const UNSUPPORTED = /\.(gif|bmp|tiff?|webp|avif|heic|heif|jp2|jxl|ppm|pgm|svg)$/i;

const EXPECTED = "expected one subfolder of PNG and JPEG files per class";

/** Listed folders, with their modification times. */
const cache = new Map<string, { readonly stamp: string; readonly folder: ImageFolder }>();

/**
 * Lists the folder, once until it or a class folder changes.
 *
 * @param classes the training split's classes, the only ones that a test split may have
 * @throws {InputError} if the folder is missing or has no classes, or a class has no images or unsupported ones
 */
function inspectImageFolder(dir: string, classes: readonly string[] | null = null): ImageFolder {
  const entries = listFolder(dir, "image folder", EXPECTED);
  const found = entries.filter((entry) => isFolder(dir, entry)).map(({ name }) => name).sort();
  if (found.length === 0) throw new InputError(`The image folder ${dir} has no subfolder; ${EXPECTED}`);
  const unknown = classes === null ? undefined : found.find((name) => !classes.includes(name));
  if (unknown !== undefined) {
    throw new InputError(
      `${join(dir, unknown)} is not a class of the training split, which has ${shownNames(classes!)}`,
    );
  }
  const stamp = [dir, ...found.map((name) => join(dir, name))].map(changed).join() + `/${classes?.join("/")}`;
  const known = cache.get(dir);
  if (known?.stamp === stamp) return known.folder;
  const folder = pack(classes ?? found, (name) => found.includes(name) ? listClass(join(dir, name)) : []);
  cache.set(dir, { stamp, folder });
  return folder;
}

function isFolder(dir: string, entry: Deno.DirEntry): boolean {
  if (entry.name.startsWith(".")) return false;
  if (!entry.isSymlink) return entry.isDirectory;
  try {
    return Deno.statSync(join(dir, entry.name)).isDirectory;
  } catch {
    return false; // a broken link
  }
}

function changed(dir: string): number {
  try {
    return Deno.statSync(dir).mtime?.getTime() ?? 0;
  } catch (error) {
    throw unreadable(dir, error);
  }
}

function listClass(dir: string): string[] {
  const entries = listFolder(dir, "class folder", EXPECTED).filter(({ name }) => !name.startsWith("."));
  const inner = entries.find((entry) => isFolder(dir, entry));
  if (inner !== undefined) {
    throw new InputError(`The class folder ${dir} has a subfolder ${inner.name}; ${EXPECTED}, without deeper folders`);
  }
  const unsupported = entries.find(({ name }) => UNSUPPORTED.test(name));
  if (unsupported !== undefined) {
    throw new InputError(
      `${join(dir, unsupported.name)}: expected PNG and JPEG files; convert it or move it elsewhere`,
    );
  }
  const names = entries.map(({ name }) => name).filter((name) => SUPPORTED.test(name)).sort();
  if (names.length === 0) {
    throw new InputError(`The class folder ${dir} has no PNG or JPEG file; add some, or remove the folder`);
  }
  return names;
}

function pack(classes: readonly string[], filesOf: (name: string) => readonly string[]): ImageFolder {
  const encoder = new TextEncoder();
  const firsts = new Uint32Array(classes.length);
  const names: Uint8Array[] = [];
  classes.forEach((name, i) => {
    firsts[i] = names.length;
    for (const file of filesOf(name)) names.push(encoder.encode(`${name}/${file}\0`));
  });
  const offsets = new Uint32Array(names.length);
  const packed = new Uint8Array(new SharedArrayBuffer(names.reduce((sum, { length }) => sum + length, 0)));
  let at = 0;
  names.forEach((name, i) => {
    offsets[i] = at;
    packed.set(name, at);
    at += name.length;
  });
  return { classes, length: names.length, names: packed, offsets: toShared(offsets), firsts: toShared(firsts) };
}

function shownNames(names: readonly string[]): string {
  return names.length <= 10 ? names.join(", ") : `${names.slice(0, 10).join(", ")} and ${names.length - 10} more`;
}
