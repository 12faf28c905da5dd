/**
 * Reads single entries of ZIP archives, as NumPy writes them: stored or deflated, without encryption, below 4 GiB.
 *
 * @module
 */
import { constants, crc32, inflateRawSync } from "node:zlib";
import { InputError } from "../core/errors.ts";
import { readableSize, readAt } from "./files.ts";

/** One file in an archive. */
export interface ZipEntry {
  readonly path: string;
  readonly name: string;
  /** Bytes once unpacked, and in the archive. */
  readonly size: number;
  readonly packed: number;
  readonly deflated: boolean;
  readonly crc: number;
  /** Start of its local header. */
  readonly offset: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;

/** The most that deflate packs: 258 bytes in 2 bits. */
const MOST_RATIO = 1032;

/** Stands for a size or a place that needs 8 bytes. */
const BEYOND = 0xffffffff;

/** Packed bytes in which the first bytes of an entry surely lie. */
const BEGINNING = 8192;

/**
 * Lists the entries of an archive by its directory, which is at its end.
 *
 * @throws {InputError} if the file cannot be read, is no ZIP archive, or has an entry that is encrypted or packed otherwise
 */
export function listZip(path: string): Map<string, ZipEntry> {
  const size = readableSize(path, "a ZIP archive");
  const tail = readAt(path, Math.max(0, size - END_BYTES - LONGEST_COMMENT), END_BYTES + LONGEST_COMMENT);
  const view = viewOf(tail);
  let end = tail.length - END_BYTES;
  while (
    end >= 0 && !(view.getUint32(end, true) === END && view.getUint16(end + 20, true) + end + END_BYTES === tail.length)
  ) {
    end--;
  }
  if (end < 0) throw new InputError(`${path} is no whole ZIP archive: it has no directory at its end; fetch it again`);
  const count = view.getUint16(end + 10, true);
  const length = view.getUint32(end + 12, true);
  const begin = view.getUint32(end + 16, true);
  if (count === 0xffff || begin === BEYOND) {
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
    if (at + 46 > bytes.length || view.getUint32(at, true) !== CENTRAL) throw damaged(path, `entry ${i} is no entry`);
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ];
    if (at + 46 + nameBytes > bytes.length) throw damaged(path, `entry ${i} ends beyond its directory`);
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
      throw new InputError(`${where} is packed by method ${method}; expected stored (0) or deflated (8)`);
    }
    if ([entry.packed, entry.size, entry.offset].includes(BEYOND)) {
      throw new InputError(`${where} has 4 GiB or more; give it as a .npy file`);
    }
    const most = entry.deflated ? entry.packed * MOST_RATIO : entry.packed;
    if (entry.size > most || (!entry.deflated && entry.size !== entry.packed) || entry.offset + entry.packed > size) {
      throw damaged(where, `${entry.packed} bytes at ${entry.offset} cannot hold ${entry.size} bytes`);
    }
    if (entries.has(name)) throw damaged(path, `it has two entries ${name}`);
    entries.set(name, entry);
    at += 46 + nameBytes + extraBytes + noteBytes;
  }
  return entries;
}

/**
 * Unpacks the first bytes of an entry: all of them, or at least a few thousand.
 *
 * @throws {InputError} if the entry is damaged
 */
export function readZipBeginning(entry: ZipEntry): Uint8Array {
  const bytes = readPacked(entry, BEGINNING);
  return entry.deflated ? unpack(entry, bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
}

/**
 * Unpacks an entry, never to more than the size that the directory gives.
 *
 * @throws {InputError} if the entry is damaged
 */
export function readZipEntry(entry: ZipEntry): Uint8Array {
  const packed = readPacked(entry, entry.packed);
  const bytes = entry.deflated ? unpack(entry, packed, { maxOutputLength: entry.size + 1 }) : packed;
  const where = `${entry.path}: ${entry.name}`;
  if (bytes.length !== entry.size) throw damaged(where, `it has ${bytes.length} bytes; expected ${entry.size}`);
  if (crc32(bytes) !== entry.crc) throw damaged(where, "its checksum is wrong");
  return bytes;
}

function unpack({ path, name, size }: ZipEntry, bytes: Uint8Array, options: object): Uint8Array {
  try {
    return inflateRawSync(bytes, options);
  } catch (error) {
    const large = (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";
    throw damaged(`${path}: ${name}`, large ? `it unpacks to more than ${size} bytes` : (error as Error).message);
  }
}

/** The first `most` packed bytes. The local header may have other fields than the directory, so that it is looked at. */
function readPacked({ path, name, offset, packed }: ZipEntry, most: number): Uint8Array {
  const header = readAt(path, offset, 30);
  const view = viewOf(header);
  if (header.length < 30 || view.getUint32(0, true) !== LOCAL) {
    throw damaged(`${path}: ${name}`, `there is no entry at byte ${offset}`);
  }
  const begin = offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  const length = Math.min(most, packed);
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
