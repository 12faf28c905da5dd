/**
 * What a folder in MNIST's format holds: for each split a file of images and one of labels, each with a header that says
 * its type and its sizes; gzipped or not.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { formatShape } from "../core/shape.ts";
import { listFolder } from "./files.ts";
import { type IdxHeader, readIdx, readIdxHeader } from "./idx_file.ts";

const EXPECTED = "give the folder with train-images-idx3-ubyte and train-labels-idx1-ubyte, gzipped or not";

/** What the two files of a split are called. */
const NAMES = { train: "train", test: "t10k" } as const;

/** The files of a split. */
export interface IdxSplit {
  readonly images: IdxHeader;
  readonly labels: IdxHeader;
  readonly length: number;
}

export interface IdxFolder {
  readonly train: IdxSplit;
  readonly test: IdxSplit | null;
}

/**
 * Looks at the files' headers and sizes.
 *
 * @throws {InputError} if the folder or a file is missing, cannot be read, or is not what its name says
 */
export function inspectIdx(dir: string): IdxFolder {
  const names = listFolder(dir, "IDX folder", EXPECTED).map(({ name }) => name).sort();
  const train = inspectSplit(dir, "train", names);
  if (train === null) throw lacks(dir, "train-images-idx3-ubyte", names);
  const test = inspectSplit(dir, "test", names);
  if (test !== null && formatShape(test.images.shape.slice(1)) !== formatShape(train.images.shape.slice(1))) {
    throw new InputError(
      `${test.images.path} has samples ${formatShape(test.images.shape.slice(1))}, but ${train.images.path} has ` +
        `${formatShape(train.images.shape.slice(1))}; expected one shape`,
    );
  }
  return { train, test };
}

function inspectSplit(dir: string, split: "train" | "test", names: readonly string[]): IdxSplit | null {
  const [images, labels] = (["images", "labels"] as const).map((part) => {
    const pattern = new RegExp(`^${NAMES[split]}-${part}[.-]idx[1-4]-ubyte(\\.gz)?$`);
    return names.find((name) => pattern.test(name)) ?? null;
  }) as [string | null, string | null];
  if (images === null && labels === null) return null;
  if (images === null) throw lacks(dir, `${NAMES[split]}-images-idx3-ubyte`, names);
  if (labels === null) throw lacks(dir, `${NAMES[split]}-labels-idx1-ubyte`, names);
  const found = { images: readIdxHeader(join(dir, images)), labels: readIdxHeader(join(dir, labels)) };
  if (found.labels.shape.length !== 1) {
    throw new InputError(
      `${found.labels.path} has ${found.labels.shape.length} dimensions; expected 1: one label each`,
    );
  }
  if (found.images.shape.length < 2) {
    throw new InputError(`${found.images.path} has 1 dimension; expected [samples, height, width]`);
  }
  const [length, count] = [found.images.shape[0]!, found.labels.shape[0]!];
  if (length !== count) {
    throw new InputError(`${found.images.path} has ${length} images, but ${found.labels.path} has ${count} labels`);
  }
  if (length === 0) throw new InputError(`${found.images.path} has no images`);
  return { ...found, length };
}

function lacks(dir: string, name: string, names: readonly string[]): InputError {
  const found = names.filter((entry) => /idx[1-4]/.test(entry));
  const others = found.length === 0 ? "it has no IDX file" : `it has ${found.join(", ")}`;
  return new InputError(`The IDX folder ${dir} lacks ${name} (${others}); ${EXPECTED}`);
}

/**
 * The samples of a split, in shared memory; labels may be out of range.
 *
 * @throws {InputError} if a file cannot be read or is damaged
 */
export function readIdxSplit({ images, labels }: IdxSplit) {
  const input = readIdx(images);
  const bytes = readIdx(labels);
  const target = new Int32Array(new SharedArrayBuffer(4 * bytes.length));
  target.set(bytes);
  return { input, target, labelFile: labels.path };
}
