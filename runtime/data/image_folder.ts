/**
 * What a folder with one folder of images for each class holds, by names alone.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { listFolder, messageOf } from "./files.ts";
import { toShared } from "./shared.ts";

/** The files of a split. */
export interface ImageFolder {
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
export function inspectImageFolder(dir: string, classes: readonly string[] | null = null): ImageFolder {
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
