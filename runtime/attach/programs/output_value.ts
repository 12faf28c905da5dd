/** Outputs of a process that are kept, and values of one; what follows is not compared. */
export const LARGEST_OUTPUT = { outputs: 4, values: 2 ** 22 } as const;

/** Key of a number that JSON lacks. */
const NUMBER = "#number";

/**
 * Returns an output as JSON can have it: typed arrays as lists, and NaN, infinities and big integers marked.
 *
 * @returns null for what is larger than {@linkcode LARGEST_OUTPUT}
 */
export function encodeOutput(value: unknown): { readonly value: unknown } | null {
  let left: number = LARGEST_OUTPUT.values;
  const encode = (value: unknown): unknown => {
    if (--left < 0) return null;
    if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
      return { [NUMBER]: String(value) };
    }
    if (value instanceof ArrayBuffer) return encode(new Uint8Array(value));
    if (ArrayBuffer.isView(value)) {
      const array = value instanceof DataView
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : value;
      return Array.from(array as Float64Array<ArrayBufferLike>, encode);
    }
    if (Array.isArray(value)) return value.map(encode);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, encode(value)]));
  };
  const encoded = encode(value);
  return left < 0 ? null : { value: encoded };
}

/** Returns the output that {@linkcode encodeOutput} made JSON of. */
export function decodeOutput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeOutput);
  if (typeof value !== "object" || value === null) return value;
  if (NUMBER in value) return Number(value[NUMBER]);
  return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, decodeOutput(value)]));
}
