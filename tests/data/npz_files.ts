/** Files as NumPy writes them. */
import { crc32, deflateRawSync } from "node:zlib";

type Numbers = Uint8Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

/** An array as NumPy saves it. */
export function npy(
  type: string,
  shape: number[],
  values: Numbers,
  { fortran = false, header = "", version = 1 } = {},
) {
  const sizes = shape.map((size) => `${size},`).join(" ");
  const text = header ||
    `{'descr': '${type}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': (${sizes}), }`;
  const first = version === 1 ? 10 : 12;
  const length = Math.ceil((first + text.length + 1) / 64) * 64 - first;
  const bytes = new Uint8Array(first + length + values.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, length & 255, length >> 8]);
  bytes.set(new TextEncoder().encode(text.padEnd(length - 1) + "\n"), first);
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), first + length);
  return bytes;
}

export interface Entry {
  readonly bytes: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly packed?: Uint8Array;
}

/** A ZIP archive whose local headers have no sizes, since NumPy's are unreliable. */
export function zip(entries: Record<string, Entry>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  const record = (
    signature: number,
    length: number,
    name: string,
    fields: [at: number, bytes: 2 | 4, value: number][],
  ) => {
    const bytes = new Uint8Array(length + name.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, signature, true);
    for (const [at, size, value] of fields) {
      size === 2 ? view.setUint16(at, value, true) : view.setUint32(at, value, true);
    }
    bytes.set(new TextEncoder().encode(name), length);
    return bytes;
  };
  for (const [name, { bytes, method = 8, flags = 0, size = bytes.length, packed }] of Object.entries(entries)) {
    const data = packed ?? (method === 8 ? deflateRawSync(bytes) : bytes);
    const local = record(0x04034b50, 30, name, [[8, 2, method], [18, 4, 0xffffffff], [26, 2, name.length]]);
    directory.push(record(0x02014b50, 46, name, [
      [8, 2, flags],
      [10, 2, method],
      [16, 4, crc32(bytes)],
      [20, 4, data.length],
      [24, 4, size],
      [28, 2, name.length],
      [42, 4, offset],
    ]));
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const length = directory.reduce((sum, bytes) => sum + bytes.length, 0);
  const end = record(0x06054b50, 22, "", [[10, 2, directory.length], [12, 4, length], [16, 4, offset]]);
  const all = [...parts, ...directory, end];
  const bytes = new Uint8Array(offset + length + 22);
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
