/**
 * Single entries of ZIP archives as NumPy writes them: stored or deflated, unencrypted, below 4 GiB.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { zlib } from "../core/zlib.ts";
import { readableSize, readAt } from "./files.ts";

/** Entry of an archive. */
export interface ZipEntry {
  readonly path: string;
  readonly name: string;
  /** Size in bytes, decompressed. */
  readonly size: number;
  /** Size in the archive. */
  readonly packed: number;
  readonly deflated: boolean;
  readonly crc: number;
  /** Offset of its local header. */
  readonly offset: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;

/** Largest compression ratio of deflate: 258 bytes in 2 bits. */
const MAX_RATIO = 1032;

/** Marks a size or offset that needs 8 bytes. */
const NEEDS_ZIP64 = 0xffffffff;

/** Compressed bytes that are sure to contain the first bytes of an entry. */
const BEGINNING = 8192;

/**
 * Lists the entries in an archive's directory, which lies at its end.
 *
 * @throws {InputError} if the file cannot be read or is not a ZIP archive, or an entry is encrypted or has another
 * compression method
 */
export function listZip(path: string): Map<string, ZipEntry> {
  const size = readableSize(path, "a ZIP archive");
  const tail = readAt(path, Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES), END_BYTES + MAX_COMMENT_BYTES);
  const view = viewOf(tail);
  let end = tail.length - END_BYTES;
  while (
    end >= 0 && !(view.getUint32(end, true) === END && view.getUint16(end + 20, true) + end + END_BYTES === tail.length)
  ) {
    end--;
  }
  if (end < 0) {
    throw new InputError(`${path} is not a complete ZIP archive: it has no directory at its end; fetch it again`);
  }
  const count = view.getUint16(end + 10, true);
  const length = view.getUint32(end + 12, true);
  const begin = view.getUint32(end + 16, true);
  if (count === 0xffff || begin === NEEDS_ZIP64) {
    throw new InputError(`${path} is a ZIP archive of 4 GiB or more; give its arrays as .npy files`);
  }
  if (begin + length > size) throw damaged(path, `its directory ends at byte ${begin + length} of ${size}`);
  return readDirectory(path, readAt(path, begin, length), count, size);
}

function readDirectory(path: string, bytes: Uint8Array, count: number, size: number): Map<string, ZipEntry> {
  const view = viewOf(bytes);
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== CENTRAL) {
      throw damaged(path, `entry ${i} of its directory is invalid`);
    }
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const nameBytes = view.getUint16(at + 28, true);
    const nextEntry = at + 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (at + 46 + nameBytes > bytes.length) throw damaged(path, `entry ${i} extends beyond its directory`);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes));
    const where = `${path}: ${name}`;
    const entry: ZipEntry = {
      path,
      name,
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
      deflated: method === 8,
    };
    if ((flags & 1) !== 0) throw new InputError(`${where} is encrypted; save it without a password`);
    if (method !== 0 && method !== 8) {
      throw new InputError(`${where} has compression method ${method}; expected stored (0) or deflated (8)`);
    }
    if ([entry.packed, entry.size, entry.offset].includes(NEEDS_ZIP64)) {
      throw new InputError(`${where} has 4 GiB or more; give it as a .npy file`);
    }
    const largest = entry.deflated ? entry.packed * MAX_RATIO : entry.packed;
    if (
      entry.size > largest || (!entry.deflated && entry.size !== entry.packed) || entry.offset + entry.packed > size
    ) {
      throw damaged(where, `${entry.packed} bytes at ${entry.offset} cannot hold ${entry.size} bytes`);
    }
    if (entries.has(name)) throw damaged(path, `it has two entries ${name}`);
    entries.set(name, entry);
    at = nextEntry;
  }
  return entries;
}

/**
 * Decompresses the first bytes of an entry: all of them, or at least a few thousand.
 *
 * @throws {InputError} if the entry is damaged
 */
export function readZipBeginning(entry: ZipEntry): Uint8Array {
  const bytes = readPacked(entry, BEGINNING);
  return entry.deflated ? inflate(entry, bytes, { finishFlush: zlib().constants.Z_SYNC_FLUSH }) : bytes;
}

/**
 * Decompresses an entry, never to more than its size in the directory.
 *
 * @throws {InputError} if the entry is damaged
 */
export function readZipEntry(entry: ZipEntry): Uint8Array {
  const packed = readPacked(entry, entry.packed);
  const bytes = entry.deflated ? inflate(entry, packed, { maxOutputLength: entry.size + 1 }) : packed;
  const where = `${entry.path}: ${entry.name}`;
  if (bytes.length !== entry.size) throw damaged(where, `it has ${bytes.length} bytes; expected ${entry.size}`);
  if (zlib().crc32(bytes) !== entry.crc) throw damaged(where, "its checksum is wrong");
  return bytes;
}

function inflate({ path, name, size }: ZipEntry, bytes: Uint8Array, options: object): Uint8Array {
  try {
    return zlib().inflateRawSync(bytes, options);
  } catch (error) {
    const large = (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";
    throw damaged(`${path}: ${name}`, large ? `it decompresses to more than ${size} bytes` : (error as Error).message);
  }
}

/** Reads the first compressed bytes. The local header can have other extra fields than the directory. */
function readPacked({ path, name, offset, packed }: ZipEntry, limit: number): Uint8Array {
  const header = readAt(path, offset, 30);
  const view = viewOf(header);
  if (header.length < 30 || view.getUint32(0, true) !== LOCAL) {
    throw damaged(`${path}: ${name}`, `there is no entry at byte ${offset}`);
  }
  const begin = offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  const length = Math.min(limit, packed);
  const bytes = readAt(path, begin, length);
  if (bytes.length < length) throw damaged(`${path}: ${name}`, `it ends after ${bytes.length} of ${packed} bytes`);
  return bytes;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function damaged(where: string, why: string): InputError {
  return new InputError(`${where} is damaged: ${why}; fetch it again`);
}
