import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import { positiveInteger } from "../checked.ts";
import { listFolder } from "../files.ts";
import { type IdxHeader, readIdx, readIdxHeader } from "../idx_file.ts";
import { type CommonOptions, defineSource, images, labelled, location, recordOf, schemaOf } from "./source_def.ts";
import type { IdxOptions, IdxSpec } from "./types.ts";

const idxSchema = schemaOf("idx", images, {
  dir: location("a folder").describe("folder with train-images-idx3-ubyte, ... in MNIST's format, gzipped or not"),
  classes: positiveInteger.default(10).describe("number of classes"),
});

export const idxSource = defineSource({
  schema: idxSchema,
  factory: "mnist()",
  describe({ dir, classes }) {
    const { train, test } = inspectIdx(dir);
    const shape = train.images.shape.slice(1);
    // `[height, width]` is an image of one channel
    const input = { shape: shape.length === 2 ? [1, ...shape] : shape, dtype: "u8" } as const;
    return labelled(input, train.length, test?.length ?? null, classes);
  },
  plan({ dir }, split) {
    const files = inspectIdx(dir)[split];
    if (files === null) return null;
    const bytes = readIdx(files.labels);
    const target = new Int32Array(new SharedArrayBuffer(4 * bytes.length));
    target.set(bytes);
    const labels = { file: files.labels.path, fix: "give idx({ classes })" };
    return { kind: "tensors", length: files.length, input: readIdx(files.images), target, labels };
  },
  noTest: ({ dir }) => `: ${join(dir, "t10k-images-idx3-ubyte")} does not exist`,
  files: ({ dir }) => [dir],
});

/**
 * Loads a data set in MNIST's IDX format: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte` and the same for `t10k`
 * in `dir`, gzipped or not. Images are `[1, height, width]`.
 *
 * @throws {InputError} if an option is invalid; the folder is checked once the data set is used
 */
export function idx(options: IdxOptions): IdxSpec {
  return recordOf(idxSchema, options);
}

/** Loads MNIST: 28 x 28 grey images of the 10 digits; see `idx`. */
export function mnist(options: Pick<IdxOptions, "dir" | keyof CommonOptions>): IdxSpec {
  return recordOf(idxSchema, options, "mnist()");
}

/** Loads Fashion-MNIST: 28 x 28 grey images of 10 kinds of clothes; see `idx`. */
export function fashionMnist(options: Pick<IdxOptions, "dir" | keyof CommonOptions>): IdxSpec {
  return recordOf(idxSchema, options, "fashionMnist()");
}

const EXPECTED = "expected a folder with train-images-idx3-ubyte and train-labels-idx1-ubyte, gzipped or not";

/** First part of the file names of a split. */
const NAMES = { train: "train", test: "t10k" } as const;

/** Files of a split. */
interface IdxSplit {
  readonly images: IdxHeader;
  readonly labels: IdxHeader;
  readonly length: number;
}

interface IdxFolder {
  readonly train: IdxSplit;
  readonly test: IdxSplit | null;
}

/**
 * Checks the files' headers and sizes.
 *
 * @throws {InputError} if the folder or a file is missing, cannot be read, or contradicts its name
 */
function inspectIdx(dir: string): IdxFolder {
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
      `${found.labels.path} has ${found.labels.shape.length} dimensions; expected 1, one label per image`,
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
