/**
 * The header of the safetensors format: its length in 8 bytes, then JSON with the type, shape and place of each tensor.
 * https://github.com/huggingface/safetensors#format
 *
 * @module
 */
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import { clipped, shown } from "../../core/shown.ts";
import { parseJson } from "../../core/strangers_json.ts";

/** Bytes per element of each type of the format that has whole bytes. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  BF16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
};

/** Maximum length of a header in bytes, as in the reference implementation. */
export const MAX_HEADER_BYTES = 100_000_000;

/** A tensor in a file. */
export interface StoredTensor {
  /** Name of the element type in the format, such as `BF16`. */
  readonly dtype: string;
  readonly shape: Shape;
  /** Range of the values in bytes from the end of the header. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Parses and checks a header.
 *
 * @param dataBytes bytes of the file after the header
 * @param fail creates the error for a damaged file
 * @throws {Error} made by `fail`, if the header is no JSON, or tensors overlap, leave gaps, or do not fill the file
 */
export function parseHeader(
  text: string,
  dataBytes: number,
  fail: (message: string) => Error,
): ReadonlyMap<string, StoredTensor> {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw fail("its header is not JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw fail("its header is not a record of tensors");
  }
  const twice = duplicateKey(text);
  if (twice !== null) throw fail(`it names "${clipped(twice)}" twice`);
  const tensors = Object.entries(json).filter(([name]) => name !== "__metadata__")
    .map(([name, value]) => [name, entryOf(value, (message) => fail(`"${clipped(name)}" ${message}`))] as const);
  checkPlaces(tensors, dataBytes, fail);
  return new Map(tensors);
}

function entryOf(value: unknown, fail: (message: string) => Error): StoredTensor {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof dtype !== "string" || !Object.hasOwn(ELEMENT_BYTES, dtype)) {
    throw fail(`has the type ${shown(dtype)}; expected one of ${Object.keys(ELEMENT_BYTES).join(", ")}`);
  }
  if (!isSizes(shape) || !Number.isSafeInteger(sizeOf(shape) * 8)) {
    throw fail(`has the shape ${shown(shape)}; expected a list of whole numbers`);
  }
  if (!isSizes(offsets) || offsets.length !== 2 || offsets[0]! > offsets[1]!) {
    throw fail(`has the data_offsets ${shown(offsets)}; expected the first byte and the one after the last`);
  }
  const [begin, end] = offsets as readonly [number, number];
  const bytes = sizeOf(shape) * ELEMENT_BYTES[dtype]!;
  if (end - begin !== bytes) {
    throw fail(`takes ${end - begin} bytes; expected ${bytes} for ${dtype} ${formatShape(shape)}`);
  }
  return { dtype, shape, begin, end };
}

function isSizes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

/** Checks that the tensors lie one after another and fill the file. */
function checkPlaces(
  tensors: readonly (readonly [string, StoredTensor])[],
  dataBytes: number,
  fail: (message: string) => Error,
): void {
  let [at, before] = [0, "the header"];
  for (const [name, { begin, end }] of tensors.toSorted(([, a], [, b]) => a.begin - b.begin || a.end - b.end)) {
    const place = `"${clipped(name)}" begins at byte ${begin}, but ${before} ends at byte ${at}`;
    if (begin < at) throw fail(`tensors overlap: ${place}`);
    if (begin > at) throw fail(`values are missing: ${place}`);
    [at, before] = [end, `"${clipped(name)}"`];
  }
  if (at > dataBytes) {
    throw fail(`it is truncated: its tensors take ${at} bytes, but only ${dataBytes} follow the header`);
  }
  if (at < dataBytes) throw fail(`${dataBytes - at} bytes follow the last tensor; expected none`);
}

/** Returns a key that a JSON record has twice, which `JSON.parse` accepts; null if there is none. */
function duplicateKey(json: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  for (const [token, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon !== undefined) {
      const key = JSON.parse(token.slice(0, token.length - colon.length)) as string;
      if (seen.has(key)) return key;
      seen.add(key);
    }
  }
  return null;
}
