import { deflateSync, inflateSync } from "node:zlib";

/** Fast rather than small: steps of a result shrink to a tenth even so. */
const LEVEL = 1;

/** A value as compressed JSON; the checksum within tells damage. */
export function pack(value: unknown): Uint8Array {
  return deflateSync(JSON.stringify(value), { level: LEVEL });
}

/** The value that was packed; what it is has to be checked by who knows. */
export function unpack(content: unknown): unknown {
  if (!(content instanceof Uint8Array)) throw new TypeError("The row is corrupt: it holds no packed content");
  return JSON.parse(new TextDecoder().decode(inflateSync(content)));
}
