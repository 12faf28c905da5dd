/** The most bytes of a stored block. */
const BLOCK = 65535;

/**
 * A PNG whose rows are stored, not packed, so that fast-png has nothing left to unpack; its own inflate takes twice the
 * time of all the rest. Checksums are left out.
 *
 * @param header the IHDR chunk with its length and checksum
 */
export function storedPng(header: Uint8Array, rows: Uint8Array): Uint8Array {
  const blocks = Math.ceil(rows.length / BLOCK);
  const length = 2 + 5 * blocks + rows.length + 4;
  const png = new Uint8Array(8 + header.length + 12 + length + 12);
  const view = new DataView(png.buffer);
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  png.set(header, 8);
  let at = 8 + header.length;
  view.setUint32(at, length);
  png.set([0x49, 0x44, 0x41, 0x54, 0x78, 0x01], at + 4); // IDAT, and how it is packed
  at += 10;
  for (let from = 0; from < rows.length; from += BLOCK) {
    const count = Math.min(BLOCK, rows.length - from);
    png[at] = from + count === rows.length ? 1 : 0;
    view.setUint16(at + 1, count, true);
    view.setUint16(at + 3, ~count, true);
    png.set(rows.subarray(from, from + count), at + 5);
    at += 5 + count;
  }
  png.set([0x49, 0x45, 0x4e, 0x44], at + 4 + 4 + 4); // IEND
  return png;
}
