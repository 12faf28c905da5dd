/**
 * Structures of C for calls by Deno's foreign function interface.
 *
 * @module
 */

/** Everything that a driver may still read. A process compiles a few hundred kernels and ends. */
const alive: unknown[] = [];

/** Field of a structure: an offset in bytes with a 32-bit number, a 64-bit one, or memory to point to. */
export type Field = readonly [offset: number, value: number | bigint | Uint8Array<ArrayBuffer>];

/** Returns a structure of Vulkan of `size` bytes: its type, then the fields; all else is 0. */
export function structure(type: number, size: number, ...fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  return record(size, [0, type], ...fields);
}

/** Returns a structure of `size` bytes; all but the fields is 0. */
export function record(size: number, ...fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  write(bytes, 0, ...fields);
  alive.push(bytes);
  return bytes;
}

/** Writes fields at an offset. */
export function write(bytes: Uint8Array<ArrayBuffer>, start: number, ...fields: readonly Field[]): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (const [offset, value] of fields) {
    if (typeof value === "number") view.setUint32(start + offset, value, true);
    else view.setBigUint64(start + offset, typeof value === "bigint" ? value : addressOf(value), true);
  }
}

/** Returns the address of memory, which is kept alive. */
export function addressOf(memory: Uint8Array<ArrayBuffer>): bigint {
  alive.push(memory);
  return memory.length === 0 ? 0n : BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(memory)));
}

/** Returns a text that ends with 0. */
export function cText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}

/** Returns structures one after the other. */
export function list(items: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(items.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const item of items) {
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
}

/** Reads a text of at most `size` bytes, up to its 0. */
export function textIn(bytes: Uint8Array, offset: number, size: number): string {
  const part = bytes.subarray(offset, offset + size);
  const end = part.indexOf(0);
  return new TextDecoder().decode(end < 0 ? part : part.subarray(0, end));
}

/** Reads a 64-bit number. */
export function wordIn(bytes: Uint8Array, offset: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(offset, true);
}

/** Reads a 32-bit number. */
export function numberIn(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}
