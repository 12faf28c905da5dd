/**
 * Files in MNIST's IDX format: two zero bytes, the type of the values, the number of dimensions, their sizes as 4
 * big-endian bytes each, and the values.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { formatShape, sizeOf } from "../core/shape.ts";
import { reasonOf } from "../core/shown.ts";
import { zlib } from "../core/zlib.ts";
import { readableSize, readAt, stampOf } from "./files.ts";

/** Header of an IDX file. */
export interface IdxHeader {
  readonly path: string;
  readonly shape: readonly number[];
  /** Size of the header in bytes. */
  readonly headerBytes: number;
}

const UNSIGNED_BYTE = 0x08;

const TYPES: Readonly<Record<number, string>> = {
  0x09: "signed bytes",
  0x0b: "16-bit integers",
  0x0c: "32-bit integers",
  0x0d: "floats",
  0x0e: "doubles",
};

const MAX_DIMENSIONS = 4;
const MAX_HEADER_BYTES = 4 + 4 * MAX_DIMENSIONS;

/** Bytes of a gzipped file that are sure to contain the header. */
const BEGINNING = 4096;

/** Largest file size in bytes, compressed or not. */
const MAX_BYTES = 2 ** 32;

/**
 * Reads the header and, unless the file is gzipped, compares it with the file's size.
 *
 * @throws {InputError} if the file cannot be read, is not an IDX file of bytes or has a wrong size
 */
export function readIdxHeader(path: string): IdxHeader {
  const size = readableSize(path, "an IDX file");
  const beginning = readAt(path, 0, isGzip(path) ? BEGINNING : MAX_HEADER_BYTES);
  const header = parse(path, isGzip(path) ? decompressBeginning(path, beginning) : beginning);
  if (!isGzip(path)) checkSize(header, size);
  return header;
}

/**
 * Reads the values into shared memory, once until the file changes.
 *
 * @throws {InputError} if the file cannot be read, is damaged or differs from the header
 */
export function readIdx({ path, shape, headerBytes }: IdxHeader): Uint8Array {
  const stamp = stampOf(path);
  const known = cache.get(path);
  if (known?.stamp === stamp) return known.values;
  const packed = readAt(path, 0, MAX_BYTES);
  const bytes = isGzip(path) ? decompress(path, packed, headerBytes + sizeOf(shape)) : packed;
  const header = parse(path, bytes);
  if (formatShape(header.shape) !== formatShape(shape)) throw new InputError(`${path} has changed since the run began`);
  checkSize(header, bytes.length);
  const values = new Uint8Array(new SharedArrayBuffer(sizeOf(shape)));
  values.set(bytes.subarray(headerBytes));
  cache.set(path, { stamp, values });
  return values;
}

const cache = new Map<string, { stamp: string; values: Uint8Array }>();

function isGzip(path: string): boolean {
  return path.endsWith(".gz");
}

/** Decompresses the first bytes of a gzipped file. */
function decompressBeginning(path: string, bytes: Uint8Array): Uint8Array {
  try {
    return zlib().gunzipSync(bytes, { finishFlush: zlib().constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw notGzip(path, error);
  }
}

/** @param expected size in bytes; a larger result means damage, or an attempt to exhaust the memory */
function decompress(path: string, bytes: Uint8Array, expected: number): Uint8Array {
  try {
    return zlib().gunzipSync(bytes, { maxOutputLength: expected + 1 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_BUFFER_TOO_LARGE") throw notGzip(path, error);
    throw new InputError(
      `${path} has more than ${expected} bytes decompressed; expected ${expected}. The file is padded or damaged: ` +
        "fetch it again",
    );
  }
}

function notGzip(path: string, error: unknown): InputError {
  return new InputError(
    `${path} is not a complete gzip file: ${reasonOf(error)}. The file is truncated or damaged: fetch it again`,
    { cause: error },
  );
}

function parse(path: string, bytes: Uint8Array): IdxHeader {
  const [a, b, type, dimensions] = bytes;
  if (bytes.length < 4 || a !== 0 || b !== 0 || dimensions === 0) {
    const found = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const hint = a === 0x1f && b === 0x8b ? "; it is gzipped: rename it to end in .gz" : "";
    throw new InputError(
      `${path} is not an IDX file: it ${
        found === "" ? "is empty" : `begins with ${found}`
      }; expected 00 00 08 and the ` +
        `number of dimensions${hint}`,
    );
  }
  if (type !== UNSIGNED_BYTE) {
    const known = TYPES[type!];
    const found = known === undefined ? `values of the unknown type 0x${type!.toString(16)}` : known;
    throw new InputError(`${path} has ${found}; expected unsigned bytes (type 0x08)`);
  }
  if (dimensions! > MAX_DIMENSIONS) {
    throw new InputError(`${path} has ${dimensions} dimensions; expected at most ${MAX_DIMENSIONS}`);
  }
  const headerBytes = 4 + 4 * dimensions!;
  if (bytes.length < headerBytes) {
    throw new InputError(`${path} ends within its header (${bytes.length} of ${headerBytes} bytes); fetch it again`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shape = Array.from({ length: dimensions! }, (_, i) => view.getUint32(4 + 4 * i));
  if (sizeOf(shape) > MAX_BYTES || shape.slice(1).includes(0)) {
    throw new InputError(`${path} has a header with shape ${formatShape(shape)}, which is invalid: fetch it again`);
  }
  return { path, shape, headerBytes };
}

function checkSize({ path, shape, headerBytes }: IdxHeader, size: number): void {
  const expected = headerBytes + sizeOf(shape);
  if (size === expected) return;
  throw new InputError(
    `${path} has ${size} bytes${isGzip(path) ? " decompressed" : ""}; expected ${expected} for ${
      formatShape(shape)
    }. ` +
      "The file is truncated or padded: fetch it again",
  );
}
