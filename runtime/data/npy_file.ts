/**
 * Arrays in NumPy's format, each a file or an entry of a ZIP archive: a magic number, a header in Python syntax with type,
 * order and shape, and the values.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { formatShape, sizeOf } from "../core/shape.ts";
import { shown } from "../core/shown.ts";
import { readableSize, readAt, stampOf } from "./files.ts";
import { listZip, readZipBeginning, readZipEntry } from "./zip_archive.ts";

/** Location of an array: a `.npy` file, or a name in a `.npz` archive. */
export interface ArrayPlace {
  readonly file: string;
  /** Name in the archive; null for a `.npy` file. */
  readonly name: string | null;
}

/** Header of an array. */
export interface NpyHeader {
  readonly place: ArrayPlace;
  readonly shape: readonly number[];
  /** `u1`, `i8`, `f4`, ...: a letter and the size in bytes. */
  readonly type: string;
  readonly bigEndian: boolean;
  /** Bytes before the values. */
  readonly headerBytes: number;
}

const TYPES: Readonly<Record<string, new (buffer: ArrayBuffer) => ArrayLike<number | bigint>>> = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: BigUint64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: BigInt64Array,
  f2: Float16Array,
  f4: Float32Array,
  f8: Float64Array,
};

/** Largest accepted header; those of plain arrays have 128 bytes. */
const MAX_HEADER_BYTES = 4096;

/** Largest size of an array in bytes. */
const MAX_BYTES = 2 ** 32;

/**
 * Reads the header of an array and compares it with the size of the file or entry.
 *
 * @throws {InputError} if the array does not exist, or has an unsupported type or order or a wrong size
 */
export function readNpyHeader(place: ArrayPlace): NpyHeader {
  const { beginning, size } = open(place);
  const header = parse(place, beginning());
  const expected = header.headerBytes + sizeOf(header.shape) * Number(header.type[1]);
  if (size !== expected) {
    throw new InputError(
      `${nameOf(place)} has ${size} bytes; expected ${expected} for shape ${formatShape(header.shape)} of type ` +
        `${header.type}. The file is truncated or padded: fetch it again`,
    );
  }
  return header;
}

/** Names an array in messages. */
export function nameOf({ file, name }: ArrayPlace): string {
  return name === null ? file : `${file}: ${name}`;
}

interface Opened {
  /** Size in bytes, header included. */
  readonly size: number;
  /** Reads the first bytes, which contain the header. */
  beginning(): Uint8Array;
  read(): Uint8Array;
}

function open(place: ArrayPlace): Opened {
  const { file, name } = place;
  if (name === null) {
    const size = readableSize(file, "a .npy file");
    return { size, beginning: () => readAt(file, 0, MAX_HEADER_BYTES), read: () => readAt(file, 0, size) };
  }
  const entries = listZip(file);
  const entry = entries.get(`${name}.npy`) ?? entries.get(name);
  if (entry === undefined) {
    const names = [...entries.keys()].map((entry) => entry.replace(/\.npy$/, ""));
    const shown = names.length > 10
      ? `${names.slice(0, 10).join(", ")} and ${names.length - 10} more`
      : names.join(", ");
    throw new InputError(`${file} has no array ${name}; ${names.length === 0 ? "it is empty" : `it has ${shown}`}`);
  }
  return { size: entry.size, beginning: () => readZipBeginning(entry), read: () => readZipEntry(entry) };
}

function parse(place: ArrayPlace, bytes: Uint8Array): NpyHeader {
  const where = nameOf(place);
  const magic = String.fromCharCode(...bytes.subarray(0, 6));
  if (magic !== "\x93NUMPY" || bytes.length < 12) {
    const hint = magic.startsWith("PK") ? "; it is a ZIP archive: give it as { file }, and arrays by name" : "";
    throw new InputError(`${where} is not a .npy file: it does not begin with \\x93NUMPY${hint}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [first, length] = bytes[6] === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  const headerBytes = first + length;
  if (bytes[6]! > 3 || headerBytes > Math.min(MAX_HEADER_BYTES, bytes.length)) {
    throw new InputError(
      `${where} has a header of version ${bytes[6]} and ${headerBytes} bytes; it is damaged or in another format`,
    );
  }
  const text = new TextDecoder().decode(bytes.subarray(first, headerBytes));
  const field = (name: string, value: string) => new RegExp(`["']${name}["']\\s*:\\s*${value}`).exec(text) ?? [];
  const [, order, type] = field("descr", `[bu]?["']([<>|=])([a-zA-Z]\\w*)["']`);
  const [, fortran] = field("fortran_order", "(True|False)");
  // Python 2 writes long integers as 6L
  const [, sizes] = field("shape", "\\(((?:\\s*\\d+L?\\s*,?)*)\\s*\\)");
  if (type === undefined || fortran === undefined || sizes === undefined) {
    throw new InputError(
      `${where} has a header without type, order and shape of a plain array: ${shown(text.trim(), 200)}`,
    );
  }
  if (!Object.hasOwn(TYPES, type)) {
    throw new InputError(`${where} has values of type ${type}; expected one of ${Object.keys(TYPES).join(", ")}`);
  }
  const shape = (sizes.match(/\d+/g) ?? []).map(Number);
  if (fortran === "True" && shape.length > 1) {
    throw new InputError(`${where} is in Fortran order; save np.ascontiguousarray(array)`);
  }
  if (sizeOf(shape) * Number(type[1]) > MAX_BYTES) {
    throw new InputError(`${where} has shape ${formatShape(shape)} of type ${type}; expected at most 4 GiB`);
  }
  return { place, shape, type, bigEndian: order === ">", headerBytes };
}

/** Array types of samples. */
interface Values {
  u8: Uint8Array;
  i32: Int32Array;
  f32: Float32Array;
}

const cache = new Map<string, { stamp: string; values: Values[keyof Values] }>();

/**
 * Reads the values into shared memory as `dtype`, once until the file changes.
 *
 * @throws {InputError} if the file is damaged or has changed, or `dtype` cannot hold a value
 */
export function readNpy<D extends keyof Values>(header: NpyHeader, dtype: D): Values[D] {
  const key = `${dtype} ${nameOf(header.place)}`;
  const stamp = stampOf(header.place.file);
  const known = cache.get(key);
  if (known?.stamp === stamp) return known.values as Values[D];
  const bytes = open(header.place).read();
  const found = parse(header.place, bytes.subarray(0, MAX_HEADER_BYTES));
  if (found.type !== header.type || formatShape(found.shape) !== formatShape(header.shape)) {
    throw new InputError(`${nameOf(header.place)} has changed since the run began`);
  }
  const values = convert(header, new Uint8Array(bytes.subarray(header.headerBytes)), dtype);
  cache.set(key, { stamp, values });
  return values as Values[D];
}

/** @param bytes a copy; big-endian values are swapped in place */
function convert(header: NpyHeader, bytes: Uint8Array<ArrayBuffer>, dtype: keyof Values): Values[keyof Values] {
  const size = Number(header.type[1]);
  if (header.bigEndian) { for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse(); }
  const from = new TYPES[header.type]!(bytes.buffer);
  const length = bytes.length / size;
  if (dtype === "u8") {
    const values = new Uint8Array(new SharedArrayBuffer(length));
    values.set(bytes);
    return values;
  }
  const buffer = new SharedArrayBuffer(4 * length);
  const values = dtype === "i32" ? new Int32Array(buffer) : new Float32Array(buffer);
  const exact = !header.type.startsWith("f");
  for (let i = 0; i < length; i++) {
    const value = Number(from[i]);
    values[i] = value;
    const lost = exact
      ? values[i] !== value || Math.abs(value) > Number.MAX_SAFE_INTEGER
      : Number.isFinite(value) && !Number.isFinite(values[i]);
    if (lost) {
      throw new InputError(
        `${nameOf(header.place)}: value ${i} is ${from[i]}, which ${dtype} cannot hold; save it as another type`,
      );
    }
  }
  return values;
}
