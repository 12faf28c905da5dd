import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { checked, positiveInteger } from "../checked.ts";
import { listFolder, messageOf } from "../files.ts";
import { toShared } from "../shared.ts";
import { common, type CommonOptions, defineSource, images, labelled, location } from "./source_def.ts";

const imageFolderSchema = z.strictObject({
  kind: z.literal("imageFolder"),
  dir: location("a folder").describe("folder with one folder of PNG and JPEG files for each class"),
  test: location("a folder, or null").nullable().default(null).describe("the same for the test split"),
  channels: z.union([z.literal(1), z.literal(3)], { error: "expected 1 (grey) or 3 (RGB)" }).default(3)
    .describe("3: RGB, 1: grey; files are converted"),
  size: z.tuple([positiveInteger, positiveInteger], { error: "expected [height, width] or null" }).nullable()
    .default(null).describe("[height, width] that all files have; null: they may differ"),
  ...common,
  unit: images,
});

export type ImageFolderSpec = z.infer<typeof imageFolderSchema>;

export const imageFolderSource = defineSource({
  schema: imageFolderSchema,
  factory: "imageFolder()",
  describe({ dir, test, channels, size }) {
    const { length, classes } = inspectImageFolder(dir);
    const testLength = test === null ? null : inspectImageFolder(test, classes).length;
    const [height, width] = size ?? [null, null];
    return labelled(
      { shape: [channels, height, width], dtype: "u8", order: "hwc" },
      length,
      testLength,
      classes.length,
    );
  },
  plan(spec, split) {
    const train = inspectImageFolder(spec.dir);
    const dir = split === "train" ? spec.dir : spec.test;
    if (dir === null) return null;
    const { length, names, offsets, firsts } = split === "train" ? train : inspectImageFolder(dir, train.classes);
    return { kind: "imageFiles", length, dir, names, offsets, firsts };
  },
  noTest: () => "; give imageFolder({ test })",
  files: ({ dir, test }) => [dir, test],
});

/** What `imageFolder` takes. */
export interface ImageFolderOptions extends CommonOptions {
  dir: string;
  /** The folder of the test split. */
  test?: string | null;
  /** 3: RGB, 1: grey. Files are converted; transparency is left out. */
  channels?: 1 | 3;
  /** The size that all files have, where the transforms do not make them one size. */
  size?: [height: number, width: number] | null;
}

/**
 * PNG and JPEG files, in one folder for each class; classes are numbered in the order of their names. Files are decoded
 * where batches are made. What a camera says about rotation is not looked at.
 *
 * @throws {InputError} if an option is invalid; the folder itself is looked at by `describeDataset`
 */
export function imageFolder(options: ImageFolderOptions): ImageFolderSpec {
  return checked(imageFolderSchema, { kind: "imageFolder", ...options }, "imageFolder()");
}

/** The files of a split. */
interface ImageFolder {
  /** The classes' names, sorted. */
  readonly classes: readonly string[];
  readonly length: number;
  /** The files' names below the folder, class by class and sorted, each ended by a zero byte, in shared memory. */
  readonly names: Uint8Array;
  /** Where each name begins. */
  readonly offsets: Uint32Array;
  /** The first file of each class. */
  readonly firsts: Uint32Array;
}

const READ = /\.(png|jpe?g)$/i;
const REFUSED = /\.(gif|bmp|tiff?|webp|avif|heic|heif|jp2|jxl|ppm|pgm|svg)$/i;

const EXPECTED = "expected one folder of PNG and JPEG files for each class";

/** Folders that were listed, with the times of their last changes. */
const cache = new Map<string, { readonly stamp: string; readonly folder: ImageFolder }>();

/**
 * Lists the folder, unless neither it nor a class has changed since it was listed.
 *
 * @param classes those of the training split, which a test split must have too
 * @throws {InputError} if the folder is missing, has no classes, or a class has no image or one of another format
 */
function inspectImageFolder(dir: string, classes: readonly string[] | null = null): ImageFolder {
  const entries = listFolder(dir, "image folder", EXPECTED);
  const found = entries.filter((entry) => isFolder(dir, entry)).map(({ name }) => name).sort();
  if (found.length === 0) throw new InputError(`The image folder ${dir} has no folder in it; ${EXPECTED}`);
  const unknown = classes === null ? undefined : found.find((name) => !classes.includes(name));
  if (unknown !== undefined) {
    throw new InputError(`${join(dir, unknown)} is no class of the training split, which has ${shownNames(classes!)}`);
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
    return false; // a link to nothing; no class can be meant
  }
}

function changed(dir: string): number {
  try {
    return Deno.statSync(dir).mtime?.getTime() ?? 0;
  } catch (error) {
    throw new InputError(`Cannot read ${dir}: ${messageOf(error)}`, { cause: error });
  }
}

function listClass(dir: string): string[] {
  const entries = listFolder(dir, "class folder", EXPECTED).filter(({ name }) => !name.startsWith("."));
  const inner = entries.find((entry) => isFolder(dir, entry));
  if (inner !== undefined) {
    throw new InputError(`The class folder ${dir} has a folder ${inner.name} in it; ${EXPECTED}, and none deeper`);
  }
  const refused = entries.find(({ name }) => REFUSED.test(name));
  if (refused !== undefined) {
    throw new InputError(`${join(dir, refused.name)}: expected PNG and JPEG files; convert it or move it elsewhere`);
  }
  const names = entries.map(({ name }) => name).filter((name) => READ.test(name)).sort();
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
  return {
    classes,
    length: names.length,
    names: packed,
    offsets: toShared(offsets),
    firsts: toShared(firsts),
  };
}

function shownNames(names: readonly string[]): string {
  return names.length <= 10 ? names.join(", ") : `${names.slice(0, 10).join(", ")} and ${names.length - 10} more`;
}
