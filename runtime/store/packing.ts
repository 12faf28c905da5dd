import { LARGEST } from "../core/files.ts";
import { parseJson } from "../core/strangers_json.ts";
import { zlib } from "../core/zlib.ts";
import { StoreError } from "./problems.ts";

/** Fastest compression level, which still reduces the steps of a result to a tenth. */
const LEVEL = 1;

/**
 * Packs a value as compressed JSON, with a checksum that reveals damage.
 *
 * @throws {StoreError} if it is too large
 */
export function pack(value: unknown): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  if (bytes.length > LARGEST.text) {
    throw new StoreError(`It takes ${bytes.length} bytes, and the store keeps at most ${LARGEST.text}`);
  }
  return zlib().deflateSync(bytes, { level: LEVEL });
}

/** Unpacks a value, whose schema the caller must check. */
export function unpack(content: unknown): unknown {
  if (!(content instanceof Uint8Array)) throw new TypeError("The row is corrupt: it holds no packed content");
  // A few kilobytes that somebody else packed may unpack to gigabytes
  return parseJson(new TextDecoder().decode(zlib().inflateSync(content, { maxOutputLength: LARGEST.text })));
}
