import { zlib } from "../core/zlib.ts";

/** Fastest compression level, which still reduces the steps of a result to a tenth. */
const LEVEL = 1;

/** Packs a value as compressed JSON, with a checksum that reveals damage. */
export function pack(value: unknown): Uint8Array {
  return zlib().deflateSync(JSON.stringify(value), { level: LEVEL });
}

/** Unpacks a value, whose schema the caller must check. */
export function unpack(content: unknown): unknown {
  if (!(content instanceof Uint8Array)) throw new TypeError("The row is corrupt: it holds no packed content");
  return JSON.parse(new TextDecoder().decode(zlib().inflateSync(content)));
}
